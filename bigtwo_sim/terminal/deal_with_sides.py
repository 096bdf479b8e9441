"""What `bigtwo deal` shows of Big Three besides the tricks: the auction, the kitty, the sides, and who pays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bigtwo_sim.games.big_three import Deal
from bigtwo_sim.games.big_three.rules import Direction, Payment
from bigtwo_sim.terminal.output import cards_text, emit, table_text, wrapped


def as_dict(played: Deal) -> dict[str, Any]:
    """For JSON."""
    return {
        "kitty": str(played.dealt_kitty) or None,
        "first": played.first,
        "calls": [{"seat": seat, "bid": bid} for seat, bid in played.calls],
        "soloist": played.soloist,
        "bid": played.bid,
        "bids": list(played.bids),
        "partners": [played.partner(seat) for seat in range(played.rules.players)],
    }


def show_beginning(seats: Sequence[str], played: Deal) -> None:
    """The kitty and the auction, or who are partners; `seats` names each seat."""
    if played.soloist is None:
        partners = played.partner(0)
        others = [seat for seat in range(len(seats)) if seat not in (0, partners)]
        emit(
            f"\nSeats 0 and {partners} play against {others[0]} and {others[1]} for a stake of {played.bid}; "
            f"seat {played.first} leads."
        )
        return
    emit(table_text([("kitty".ljust(len(seats[0])), cards_text(played.dealt_kitty))]))
    emit(f"\nAuction, to the {'right' if _to_the_right(played) else 'left'}")
    emit(table_text([(seats[seat], f"bids {bid}" if bid else "pass") for seat, bid in played.calls]))
    why = "" if any(played.bids) else "All have passed, so who spoke first plays alone. "
    emit(
        wrapped(
            f"{why}{_name(seats, played.soloist)} is the soloist at {played.bid} and takes the kitty; "
            f"seat {played.first}, which spoke first, leads."
        )
    )


def _to_the_right(played: Deal) -> bool:
    return played.rules.direction == Direction.RIGHT


def _name(seats: Sequence[str], seat: int) -> str:
    return " ".join(seats[seat].split()).replace("seat", "Seat", 1)


def show_payments(seats: Sequence[str], played: Deal) -> None:
    """Who wins, and what each seat gets or pays."""
    assert played.winner is not None
    emit("\n" + wrapped(_payment(played)))
    width = max(len(f"{points:+d}") for points in played.points)
    rows = []
    for seat, (who, points) in enumerate(zip(seats, played.points, strict=True)):
        side = f"with seat {played.partner(seat)}"
        if played.soloist is not None:
            side = "soloist" if seat == played.soloist else "opponent"
        left = played.left[seat]
        state = "went out" if seat == played.winner else f"{left} card{'s' * (left != 1)} left: "
        rows.append((who, f"{points:+{width}d}", side, state + cards_text(played.hands[seat])))
    emit(table_text(rows))


def _payment(played: Deal) -> str:
    stake = played.bid
    if played.soloist is None:
        assert played.winner is not None
        pair = sorted((played.winner, played.partner(played.winner) or 0))
        return f"Seats {pair[0]} and {pair[1]} win the stake, {stake}, from each of the others."
    if played.winner == played.soloist:
        return f"The soloist wins: each opponent pays the bid, {stake}."
    if played.rules.payment == Payment.OWN_BIDS:
        return "The opponents win: the soloist pays each of them that opponent's own bid; a pass counts 0."
    return f"The opponents win: the soloist pays each of them the bid, {stake}."
