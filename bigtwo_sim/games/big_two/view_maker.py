"""The views of one Python agent, made of raw numbers: nothing in them is shared with the loop or with other agents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bigtwo_sim.core.cards import CardSet
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.deal import View
from bigtwo_sim.games.big_two.plays import Play, kind_of
from bigtwo_sim.games.big_two.rules import Rules

_SEATS = range(at.SEATS)
Turn = tuple[int, CardSet]
"""A seat and what it laid; no cards for a pass."""


class ViewMaker:
    """Makes the views of one agent, deal after deal.

    The same turns and plays come again and again, so they are kept; but for one agent alone, and the loop works on
    numbers and never reads back what an agent has held. An agent that damages what it was shown damages its own views.

    `fields` are the fields of the public record by name, each an array of one entry, which change as a deal goes on.
    """

    def __init__(self, rules: Rules, fields: Mapping[str, Any]) -> None:
        self.rules = rules.copy()
        self.deck = self.rules.deck
        """The deck of the cards that the agent is shown."""
        self._turn_count, self._passed = fields["turns"], fields["passed"]
        self._table, self._table_strength, self._owner = (
            fields["play_to_beat"],
            fields["strength_to_beat"],
            fields["owner"],
        )
        self._left, self._all_totals = fields["left"][0], fields["totals"][0]
        self._log_seats, self._log_cards = fields["log_seats"][0], fields["log"][0]
        self._known_turns: tuple[dict[int, Turn], ...] = tuple({} for _ in range(at.SEATS))
        self._known_plays: dict[int, Play] = {}
        self.begin_deal()

    def begin_deal(self) -> None:
        """Forget the last deal."""
        self._totals = tuple(self._all_totals.tolist())
        self._log: list[Turn] = []
        self._played_bits = [0] * at.SEATS
        self._played = [CardSet.of_engine(0, self.deck)] * at.SEATS

    def view(self, seat: int, hand: int, options: Iterable[tuple[int, int]], may_pass: bool, stream_seed: int) -> View:
        """The view of `seat`, which holds `hand` (bits) and may take `options`: cards and strength of each."""
        self._follow_log()
        known = self._known_plays
        table, passed = self._table.item(), self._passed.item()
        made = object.__new__(View)
        made.__dict__.update(  # a third of the time that a frozen class takes to set them one by one
            rules=self.rules,
            seat=seat,
            hand=CardSet.of_engine(hand, self.deck),
            legal_plays=tuple([known.get(bits) or self._play(bits, strength) for bits, strength in options]),
            may_pass=may_pass,
            play_to_beat=(known.get(table) or self._play(table, self._table_strength.item())) if table else None,
            play_owner=self._owner.item(),
            left=tuple(self._left.tolist()),
            played=tuple(self._played),
            passed=tuple([passed >> other & 1 == 1 for other in _SEATS]),
            log=tuple(self._log),
            totals=self._totals,
            stream_seed=stream_seed,
        )
        return made

    def log(self) -> tuple[Turn, ...]:
        """All turns of the deal so far."""
        self._follow_log()
        return tuple(self._log)

    def _follow_log(self) -> None:
        """Take in the turns since the last view."""
        log, known, played = self._log, self._known_turns, self._played_bits
        seen, turns = len(log), self._turn_count.item()
        seats, cards = self._log_seats[seen:turns].tolist(), self._log_cards[seen:turns].tolist()
        for seat, bits in zip(seats, cards, strict=True):
            log.append(known[seat].get(bits) or self._turn(seat, bits))
            if bits:
                played[seat] = now = played[seat] | bits
                self._played[seat] = CardSet.of_engine(now, self.deck)

    def _turn(self, seat: int, bits: int) -> Turn:
        made = self._known_turns[seat][bits] = (seat, CardSet.of_engine(bits, self.deck))
        return made

    def _play(self, bits: int, strength: int) -> Play:
        cards = CardSet.of_engine(bits, self.deck)
        made = self._known_plays[bits] = Play(cards, kind_of(len(cards), strength), strength)
        return made
