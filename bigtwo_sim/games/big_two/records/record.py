"""A deal or a match as text: one format to read, to keep and to play on from; `docs/records.md` has its grammar.

A record has exactly one text, and a text that is no record's is refused with the first line that is wrong, so that
printing and parsing lose nothing, either way. Parsing looks at the form alone; `check` plays all deals again.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bigtwo_sim.core.cards import CardSet
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.deal import Deal, IllegalPlay
from bigtwo_sim.games.big_two.match import Match, winner_of, with_target
from bigtwo_sim.games.big_two.records.record_form import (
    FIRST_LINE,
    NONE,
    SHOWN,
    RecordedDeal,
    RecordError,
    RecordUnreadableError,
    is_line,
    numbers_text,
    rules_lines,
    target_text,
)
from bigtwo_sim.games.big_two.records.record_parser import Reader
from bigtwo_sim.games.big_two.rules import Opener, Rules
from bigtwo_sim.untrusted import text_files
from bigtwo_sim.untrusted.text_files import TextFileError


@dataclass(frozen=True)
class Record:
    """A match, or deals that stand alone, with all four hands. Only its last deal may be unfinished."""

    rules: Rules
    """Their `match_target` is the target of the match; None: every deal stands alone."""
    seed: int | None
    """The root seed that all hands are dealt from; None: they are from elsewhere."""
    players: tuple[str, ...]
    """Who sits there, by seat: a line of printable text each."""
    deals: tuple[RecordedDeal, ...] = ()

    def __post_init__(self) -> None:
        if self.seed is not None and self.seed < 0:
            raise ValueError(f"seed is {self.seed}; it must be a whole number of at least 0, or None")
        if len(self.players) != at.SEATS:
            raise ValueError(f"there are {len(self.players)} players; there must be {at.SEATS}")
        for player in self.players:
            if not is_line(player):
                raise ValueError(f"a player is {player!r:.{SHOWN}}; it must be a line of printable text")

    @property
    def target(self) -> int | None:
        """The total that ends the match; None: every deal stands alone."""
        return self.rules.match_target

    @property
    def totals(self) -> tuple[int, ...]:
        """Points by seat after the last finished deal."""
        return next((deal.totals for deal in reversed(self.deals) if deal.totals is not None), (0,) * at.SEATS)

    @property
    def winner(self) -> int | None:
        """The seat that has won the match; None: nobody yet, or there is no target."""
        return winner_of(self.totals, self.target)

    @property
    def unfinished(self) -> RecordedDeal | None:
        """The deal that is not at its end; None where there is none."""
        return self.deals[-1] if self.deals and not self.deals[-1].is_finished else None

    @classmethod
    def of(cls, deal: Deal, players: tuple[str, ...]) -> Record:
        """The record of one deal that stands alone."""
        seed = None if deal.number is None else deal.number[0]
        return cls(with_target(deal.rules, None), seed, players, (RecordedDeal.of(deal),))

    # --- playing on ---------------------------------------------------------------------------------------------------
    def deal(self, place: int = -1, turns: int | None = None) -> Deal:
        """The deal at `place` of `deals` (by default the last), as far as it is played, or after its first `turns`.

        Raises IllegalPlay (or another ValueError) where the rules do not allow that.
        """
        place = range(len(self.deals))[place]
        recorded = self.deals[place]
        before = self.deals[place - 1].totals if place else None
        deal = self._begin(recorded, before or (0,) * at.SEATS)
        for seat, cards in recorded.turns[:turns]:
            take(deal, seat, cards)
        return deal

    def _begin(self, recorded: RecordedDeal, totals: tuple[int, ...]) -> Deal:
        if self.seed is not None:
            deal = Deal.new(self.rules, self.seed, recorded.number, recorded.leader, totals)
            if deal.dealt == recorded.hands:
                return deal
        return Deal.from_hands(self.rules, list(recorded.hands), recorded.leader, totals)

    def match(self) -> Match:
        """The match after the last finished deal. Raises ValueError where the deals are not from a seed."""
        if self.seed is None:
            raise ValueError("the seed is none, so the next deal is not known")
        finished = [deal for deal in self.deals if deal.is_finished]
        number = finished[-1].number + 1 if finished else self.deals[0].number if self.deals else 0
        leader = finished[-1].winner if finished else None
        return Match(self.rules, self.seed, self.target, self.totals, number, leader)

    # --- text ---------------------------------------------------------------------------------------------------------
    def first_lines(self) -> list[str]:
        """The lines before the first deal."""
        seats = [f"seat {seat}: {player}" for seat, player in enumerate(self.players)]
        seed = NONE if self.seed is None else str(self.seed)
        return [FIRST_LINE, *rules_lines(self.rules), f"seed: {seed}", f"target: {target_text(self.rules)}", *seats]

    def text(self) -> str:
        """The record as text, from which `parse` makes the same record."""
        lines = self.first_lines()
        for deal in self.deals:
            lines += deal.lines()
        return "\n".join(lines) + "\n"

    @classmethod
    def parse(cls, text: str) -> Record:
        """The record of a text. Whether the rules allow its turns is not asked; `check` does that.

        Raises RecordError, which names the first wrong line.
        """
        return cls(*Reader(text).record())

    @classmethod
    def load(cls, path: str | Path) -> Record:
        """The record in a file. Raises RecordError, and RecordUnreadableError where it cannot be read."""
        path = Path(path)
        try:
            return cls.parse(decoded(_content(path)))
        except RecordError as error:
            raise error.of(path) from None

    def save(self, path: str | Path) -> None:
        """Write it to a file that does not exist yet. Raises OSError (FileExistsError where it does)."""
        with Path(path).open("x", encoding="utf-8", newline="\n") as file:
            file.write(self.text())


def _content(path: Path) -> bytes:
    """What is in a file. Raises RecordUnreadableError where it cannot be read."""
    try:
        return text_files.read_bytes(path)
    except TextFileError as error:
        raise RecordUnreadableError(error.reason) from None


def decoded(data: bytes) -> str:
    """The text of a file. Raises RecordError for what is not a text in UTF-8."""
    try:
        return text_files.decoded(data)
    except TextFileError as error:
        raise RecordError(error.reason, error.line) from None


def take(deal: Deal, seat: int, cards: CardSet) -> None:
    """Have `seat` lay cards, or none: pass. Raises IllegalPlay, also where it is another seat's turn."""
    if not deal.is_over and seat != deal.turn:
        raise IllegalPlay(f"the turn is seat {deal.turn}'s, not seat {seat}'s")
    if cards:
        deal.play(cards)
    else:
        deal.pass_()


def check(record: Record) -> None:
    """Play a record again: hands from its seed, who leads, every turn legal, points and totals right.

    Raises RecordError, which names the first line of its text that is wrong.
    """
    line = len(record.first_lines())
    winner: int | None = None
    totals: tuple[int, ...] = (0,) * at.SEATS
    before: RecordedDeal | None = None
    for place, deal in enumerate(record.deals):
        _check_deal(record, place, before, totals, winner, line)
        line += len(deal.first_lines()) + len(deal.turns) + len(deal.last_lines())
        if deal.totals is not None:
            totals = deal.totals
        winner = winner_of(totals, record.target)
        before = deal


def _check_deal(
    record: Record, place: int, before: RecordedDeal | None, totals: tuple[int, ...], winner: int | None, line: int
) -> None:
    """`line` are the lines before it, `winner` has won the match before it."""
    deal = record.deals[place]

    def must(right: bool, reason: str) -> None:
        if not right:
            raise RecordError(reason, line)

    line += len(("", "deal"))
    must(winner is None, f"the match is over; seat {winner} has won it with {max(totals)} points")
    number = deal.number if record.target is None and before is None else 0 if before is None else before.number + 1
    must(deal.number == number, f"the number of the deal is {deal.number}; it must be {number}")
    try:
        begun = Deal.from_hands(record.rules, list(deal.hands), deal.leader, totals)
    except (ValueError, TypeError) as error:  # of a record that was not read from a text
        raise RecordError(str(error), line) from None
    dealt = begun.dealt if record.seed is None else Deal.new(record.rules, record.seed, number).dealt
    for seat in range(at.SEATS):
        line += 1
        must(deal.hands[seat] == dealt[seat], f"deal {number} of seed {record.seed} gives seat {seat} {dealt[seat]}")
    line += 1
    if record.target is not None:
        leader = None if before is None or record.rules.opener == Opener.EVERY_DEAL else before.winner
        who = "the holder of the lowest card" if leader is None else f"seat {leader}, which won the last deal,"
        must(deal.leader == leader, f"{who} leads this deal")
    for seat, cards in deal.turns:
        line += 1
        try:
            take(begun, seat, cards)
        except (IllegalPlay, TypeError) as error:
            raise RecordError(str(error), line) from None
    if deal.points is None or deal.totals is None:
        return
    line += 1
    must(begun.is_over, f"the deal is not over; it is seat {begun.turn}'s turn")
    must(begun.winner == deal.winner, f"seat {deal.winner} has not won; seat {begun.winner} has")
    line += 1
    must(
        begun.points == deal.points,
        f"the points are {numbers_text(deal.points)}; they must be {numbers_text(begun.points)}",
    )
    line += 1
    right = tuple(total + gained for total, gained in zip(totals, deal.points, strict=True))
    must(deal.totals == right, f"the totals are {numbers_text(deal.totals)}; they must be {numbers_text(right)}")
