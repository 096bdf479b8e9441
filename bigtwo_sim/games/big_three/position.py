"""Positions without a deal: the public record behind a view, and the view of a position that somebody describes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bigtwo_sim.core.cards import CardSet
from bigtwo_sim.core.kernel import U64, kernel
from bigtwo_sim.core.rng import checked_seed
from bigtwo_sim.games.base.position_validation import (
    PositionError,
    check_cards,
    check_owner,
    infer_counts,
    validate_counts,
)
from bigtwo_sim.games.base.view import record_of, seed_of_position
from bigtwo_sim.games.big_three import layout as at
from bigtwo_sim.games.big_three.deal import View
from bigtwo_sim.games.big_three.kernels.moves import new_buffers
from bigtwo_sim.games.big_three.kernels.turns import legal_actions, new_public
from bigtwo_sim.games.big_three.plays import check_deck, classify, make_play
from bigtwo_sim.games.big_three.rules import FirstBidder, Rules, Seating

YOU = 0


def public_record(view: View) -> npt.NDArray[np.void]:
    """The public half of the deal that `view` looks at, as an array of one record, PUBLIC[1]."""
    array = record_of(view, new_public(view.rules))
    record: Any = array[0]
    record.phase = at.AUCTION if view.in_auction else at.PLAY
    record.dealer = view.dealer
    record.first = view.first
    record.soloist = at.NOBODY if view.soloist is None else view.soloist
    record.bid = view.bid
    record.bids[: view.rules.players] = view.bids
    record.calls = len(view.calls)
    for call, (seat, bid) in enumerate(view.calls):
        record.called[call] = bid
        record.callers[call] = seat
    return array


@kernel
def _turn_plays(public_array: Any, hand: Any, plays: Any, strengths: Any) -> Any:
    count, _ = legal_actions(public_array[0], hand, plays, strengths)
    return count


def position(
    rules: Rules,
    hand: CardSet,
    *,
    calls: Sequence[int] | None = None,
    bids: Sequence[int] | None = None,
    soloist: int | None = None,
    on: CardSet | None = None,
    owner: int | None = None,
    left: Sequence[int] | None = None,
    seen: CardSet | None = None,
    seed: int | None = None,
) -> View:
    """The view of the player whose turn it is with `hand`; in the arguments 0 is that player, 1 the next one to play.

    Of four players that sit side by side, the partner is the player before where play goes to the right, and the next
    one where it goes clockwise.

    Of three players there is an auction, or it is over. In the auction `calls` are the bids made so far in order, 0 for
    a pass, the last one by the player before. After it `bids` are the highest bid of each (0: none); the highest bidder
    is the soloist, or `soloist` where nobody bid, at 1.

    `on` is the play to beat, laid by `owner` (by default the player before; those between have passed); None: a lead.
    `left` are the cards that the others hold. Where nobody tells: as many as at the beginning of the play while no card
    is seen, else as many as the hand, or an even share of what is unseen. `seen` are cards played before, by whomever;
    `on` may be among them. Who laid which card and who spoke first is not known to the view, and its log is empty.

    `seed` becomes the view's `stream_seed`, on which random choices depend; None: a number made from the position, so
    that the same position has the same choices and another position has others.

    Raises PositionError where that cannot be, TypeError for cards of another deck, ValueError for a negative seed.
    """
    others = rules.players - 1
    nothing = CardSet(0, rules.deck)
    seen, table_cards = (nothing if cards is None else cards for cards in (seen, on))
    for cards in (hand, seen, table_cards):
        check_deck(cards, rules)
    check_cards(hand, seen, table_cards, rules.largest_hand)
    if rules.players == at.PAIRS_PLAYERS:
        if calls is not None or bids is not None or soloist is not None:
            raise PositionError("four players have no auction and no soloist; leave out the bids")
    elif (calls is None) == (bids is None):
        raise PositionError("of three players it must be told either what was called so far, or what each has bid")
    if owner is not None and on is None:
        raise PositionError(f"the play to beat was laid by {owner}, but there is none")
    seats = [place * rules.step % rules.players for place in range(rules.players)]  # in the order of play

    array = new_public(rules)
    record: Any = array[0]
    record.owner = YOU
    record.first = record.soloist = at.NOBODY
    record.strength_to_beat = at.NO_STRENGTH
    record.phase = at.PLAY
    record.bid = rules.stake
    passed = [False] * rules.players
    if calls is not None:
        if on is not None or seen or left is not None:
            raise PositionError("in the auction nothing is played yet; leave out cards on the table, seen and left")
        _auction(record, rules, hand, calls, seats, passed)
        counts = [rules.hand_size] * others
    else:
        if bids is not None:
            record.bid, record.soloist = _contract(bids, soloist, rules.players, seats)
            record.bids[seats] = bids
        table = None
        if on is not None:
            table = classify(on, rules)
            if table is None:
                raise PositionError(f"the play to beat is {on or 'empty'}, which is no play under {rules.name}")
            owner = others if owner is None else owner
            check_owner(owner, others)
            record.owner = seats[owner]
            record.play_to_beat, record.size_to_beat, record.strength_to_beat = on.bits, table.size, table.strength
            for place in range(owner + 1, rules.players):
                passed[seats[place]] = True
        unseen = at.CARDS - len(hand) - len(seen | table_cards)
        if left is not None:
            counts = validate_counts(left, others, rules.largest_hand, unseen, at.CARDS)
        elif seen | table_cards:
            counts = infer_counts(len(hand), others, unseen, owner, len(table_cards))
        else:
            counts = [rules.hand_size + at.KITTY_SIZE * (seat == record.soloist) for seat in seats[1:]]
            if len(hand) + sum(counts) > at.CARDS:
                raise PositionError(f"the hand has {len(hand)} cards; the soloist has {at.LARGEST_HAND} with the kitty")
    by_seat = [nothing] * rules.players
    by_seat[YOU] = seen - table_cards
    by_seat[record.owner] |= table_cards
    by_order = (len(hand), *counts)
    of_seats = [by_order[seats.index(seat)] for seat in range(rules.players)]
    record.left[: rules.players] = of_seats
    plays, strengths = new_buffers()
    count = int(_turn_plays(array, U64(hand.bits), plays, strengths))
    options = list(zip(plays[:count].tolist(), strengths[:count].tolist(), strict=True))
    in_auction = calls is not None
    called = int(record.calls)
    view = View(
        rules=rules,
        seat=YOU,
        hand=hand,
        in_auction=in_auction,
        legal_bids=tuple(bid for _, bid in options) if in_auction else (),
        legal_plays=() if in_auction else tuple(make_play(bits, strength, rules) for bits, strength in options),
        may_pass=bool(record.may_pass),
        play_to_beat=None if on is None else classify(on, rules),
        play_owner=_seat(record.owner),
        dealer=YOU,
        first=int(record.first),
        soloist=_seat(record.soloist),
        partner=_partner(rules, _seat(record.soloist)),
        bid=int(record.bid),
        bids=tuple(record.bids[: rules.players].tolist()),
        calls=tuple(zip(record.callers[:called].tolist(), record.called[:called].tolist(), strict=True)),
        left=tuple(of_seats),
        played=tuple(by_seat),
        passed=tuple(passed),
        log=(),
        totals=(0,) * rules.players,
        stream_seed=0,
    )
    number = seed_of_position(hand, public_record(view)) if seed is None else checked_seed(seed)
    return replace(view, stream_seed=number)


def _seat(number: Any) -> int | None:
    return int(number) if number >= 0 else None


def _partner(rules: Rules, soloist: int | None) -> int | None:
    if rules.players == at.PAIRS_PLAYERS:
        return 2 if rules.seating == Seating.OPPOSITE else 1
    return None if soloist is None or soloist == YOU else at.SOLO_PLAYERS - soloist


def _auction(
    record: Any, rules: Rules, hand: CardSet, calls: Sequence[int], seats: Sequence[int], passed: list[bool]
) -> None:
    """Enter what was called so far; the last call is that of the player before."""
    text = ",".join(map(str, calls))
    if len(hand) != rules.hand_size:
        raise PositionError(f"the hand has {len(hand)} cards; in the auction it must have {rules.hand_size}")
    record.phase = at.AUCTION
    record.owner = at.NOBODY
    record.bid = 0
    for number, bid in enumerate(calls):
        if record.bid == at.HIGHEST_BID or _has_ended(calls[:number]):
            raise PositionError(f"the calls are {text}; the auction is over before the last of them")
        if bid and not record.bid < bid <= at.HIGHEST_BID:
            raise PositionError(
                f"the calls are {text}; each must be 0 (a pass) or higher than the last bid, at most {at.HIGHEST_BID}"
            )
        seat = seats[(number - len(calls)) % rules.players]
        record.callers[number], record.called[number] = seat, bid
        record.calls += 1
        passed[seat] = not bid
        if bid:
            record.bid = record.bids[seat] = bid
            record.owner = seat
            passed[:] = [False] * rules.players
    if record.bid == at.HIGHEST_BID or _has_ended(calls):
        raise PositionError(f"the calls are {text}; then the auction is over, and nobody has to bid")
    record.first = seats[-len(calls) % rules.players]
    if rules.first_bidder == FirstBidder.HEARTS:
        _check_first(rules, hand, record.first == YOU)


def _check_first(rules: Rules, hand: CardSet, you_are_first: bool) -> None:
    """Raise PositionError where the hearts of `hand` do not let you speak first, or not another."""
    hearts = [CardSet.parse(f"{rank}H", rules.deck) for rank in rules.deck.ranks]
    four = CardSet.parse("4H", rules.deck)
    if four <= hand:
        if not you_are_first:
            raise PositionError("who holds the 4H speaks first, and you hold it; so the calls must begin with yours")
        return
    held = [heart <= hand for heart in hearts]
    lower = hearts[: held.index(True)] if any(held) else hearts
    if you_are_first and len({four, *lower}) > at.KITTY_SIZE:
        yours = f"your lowest heart is the {hearts[len(lower)]}" if any(held) else "you hold no heart"
        raise PositionError(
            f"who holds the 4H speaks first, else the lowest heart, and {yours}; so the calls must begin with another's"
        )


def _has_ended(calls: Sequence[int]) -> bool:
    """Whether the last calls are as many passes as end an auction."""
    passes = next((number for number, bid in enumerate(reversed(calls)) if bid), len(calls))
    return passes >= (at.SOLO_PLAYERS - 1 if any(calls) else at.SOLO_PLAYERS)


def _contract(bids: Sequence[int], soloist: int | None, players: int, seats: Sequence[int]) -> tuple[int, int]:
    """What is played for, and the soloist's seat."""
    text = ",".join(map(str, bids))
    if len(bids) != players or not all(0 <= bid <= at.HIGHEST_BID for bid in bids):
        raise PositionError(
            f"the bids are {text}; they must be {players} numbers from 0 to {at.HIGHEST_BID}, yours first"
        )
    if soloist is not None and not 0 <= soloist < players:
        raise PositionError(f"the soloist is {soloist}; it must be from 0 (you) to {players - 1}")
    highest = max(bids)
    if highest:
        made = [bid for bid in bids if bid]
        if len(set(made)) < len(made):
            raise PositionError(f"the bids are {text}; each bid is higher than the last, so that none is made twice")
        if soloist is not None and bids[soloist] < highest:
            raise PositionError(f"the soloist is {soloist}, but the highest bid is {highest} by {bids.index(highest)}")
        return highest, seats[bids.index(highest)]
    if soloist is None:
        raise PositionError("nobody has bid; then it must be told who is the soloist: who spoke first")
    return 1, seats[soloist]
