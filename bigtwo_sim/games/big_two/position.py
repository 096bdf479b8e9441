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
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.deal import View
from bigtwo_sim.games.big_two.kernels.moves import new_buffers
from bigtwo_sim.games.big_two.kernels.turns import legal_actions, new_public
from bigtwo_sim.games.big_two.plays import check_deck, classify, make_play
from bigtwo_sim.games.big_two.rules import Rules

OTHERS = at.SEATS - 1
LAST_OTHER = OTHERS  # the seat that plays just before seat 0


def public_record(view: View) -> npt.NDArray[np.void]:
    """The public half of the deal that `view` looks at, as an array of one record, PUBLIC[1].

    It is made of the view alone. That the opening rule binds is not in it: `view.legal_plays` obey that already.
    """
    return record_of(view, new_public(view.rules))


@kernel
def _turn_plays(public_array: Any, hand: Any, plays: Any, strengths: Any) -> Any:
    count, _ = legal_actions(public_array[0], hand, plays, strengths)
    return count


def position(
    rules: Rules,
    hand: CardSet,
    *,
    on: CardSet | None = None,
    owner: int = LAST_OTHER,
    left: Sequence[int] | None = None,
    seen: CardSet | None = None,
    opening: bool = False,
    seed: int | None = None,
) -> View:
    """The view of seat 0, whose turn it is with `hand`; seats 1, 2 and 3 are the others in order of play.

    `on` is the play to beat, laid by seat `owner` (the seats between it and seat 0 have passed); None: seat 0 leads.
    `left` are the cards that seats 1, 2 and 3 hold; None: as many as the hand, or an even share of what is unseen where
    `seen` is given. `seen` are cards played before, by whomever; `on` may be among them. What is neither seen nor held
    counts as played, nobody knows when. `opening`: it is the first play of a deal. Who laid which card is not known to
    the view, and its log is empty.

    `seed` becomes the view's `stream_seed`, on which random choices depend; None: a number made from the position, so
    that the same position has the same choices and another position has others.

    Raises PositionError where that cannot be, TypeError for cards of another deck, ValueError for a negative seed.
    """
    nothing = CardSet(0, rules.deck)
    seen = nothing if seen is None else seen
    table_cards = nothing if on is None else on
    for cards in (hand, seen, table_cards):
        check_deck(cards, rules)
    check_owner(owner, OTHERS)
    check_cards(hand, seen, table_cards, at.HAND_SIZE)
    table = None
    if on is not None:
        table = classify(on, rules)
        if table is None:
            raise PositionError(f"the play to beat is {on or 'empty'}, which is no play under {rules.name}")
    if opening and (on is not None or seen):
        raise PositionError("an opening play comes before all others; then nothing is on the table and no card is seen")
    played = seen | table_cards
    unseen = at.CARDS - len(hand) - len(played)
    if left is None:
        counts = infer_counts(at.HAND_SIZE if seen else len(hand), OTHERS, unseen, owner, len(table_cards))
    else:
        counts = validate_counts(left, OTHERS, at.HAND_SIZE, unseen, at.CARDS)

    array = new_public(rules)
    record: Any = array[0]
    record.owner = owner if table else 0
    record.strength_to_beat = at.NO_STRENGTH
    if table:
        record.play_to_beat = table.cards.bits
        record.size_to_beat = table.size
        record.strength_to_beat = table.strength
    passed = [table is not None and seat > owner for seat in range(at.SEATS)]
    record.left[:] = (len(hand), *counts)
    record.opening = opening
    plays, strengths = new_buffers()
    count = int(_turn_plays(array, U64(hand.bits), plays, strengths))
    legal = zip(plays[:count].tolist(), strengths[:count].tolist(), strict=True)
    by_seat = [nothing] * at.SEATS
    by_seat[0] = seen - table_cards
    by_seat[owner] = table_cards
    view = View(
        rules=rules,
        seat=0,
        hand=hand,
        legal_plays=tuple(make_play(bits, strength, rules) for bits, strength in legal),
        may_pass=bool(record.may_pass),
        play_to_beat=table,
        play_owner=int(record.owner),
        left=(len(hand), *counts),
        played=tuple(by_seat),
        passed=tuple(passed),
        log=(),
        totals=(0,) * at.SEATS,
        stream_seed=0,
    )
    return replace(view, stream_seed=_seed_of(view, opening) if seed is None else checked_seed(seed))


def _seed_of(view: View, opening: bool) -> int:
    """A `stream_seed` made from what `view` shows."""
    array = public_record(view)
    array[0].opening = opening
    return seed_of_position(view.hand, array)
