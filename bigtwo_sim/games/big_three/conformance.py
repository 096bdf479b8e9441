"""The check that every agent must pass: legal, repeatable, and blind to what it cannot see (see `agent_check`)."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from bigtwo_sim.core.cards import CardSet
from bigtwo_sim.games.base.conformance import CheckedGame, Decision, check_agent_in, deal_hidden
from bigtwo_sim.games.base.python_agent import AnyAgent
from bigtwo_sim.games.big_three import layout as at
from bigtwo_sim.games.big_three.deal import Agent, Deal
from bigtwo_sim.games.big_three.policy import Method
from bigtwo_sim.games.big_three.python_loop import option_of
from bigtwo_sim.games.big_three.rules import PRESETS, Rules

CHECKED_RULES: tuple[Rules, ...] = (
    *PRESETS.values(),
    Rules(players=4),
    PRESETS["as_printed"].replace(players=4, seating="adjacent", stake=2),
    Rules().replace(direction="clockwise", first_bidder="dealer", payment="own_bids"),
)
"""What `check_agent` plays under: both presets at both tables, which between them turn every switch."""


def _twin(decision: Decision) -> Deal:
    public = decision.public[0]
    return Deal(decision.rules, decision.hands.copy(), int(public["dealer"]), int(public["first"]))


def _shuffle_hidden(deal: Deal, chance: random.Random) -> None:
    hidden = [card.bits.bit_length() - 1 for card in deal.view().unseen]
    chance.shuffle(hidden)
    counts = [-1] * len(deal._hands)
    for seat, left in enumerate(deal.left):
        counts[seat] = -1 if seat == deal.turn else left
    counts[at.KITTY] = len(deal.kitty)
    deal_hidden(deal._hands, counts, hidden)
    public = deal._public_array
    for made, fields in (("turns", ("log", "log_seats")), ("calls", ("called", "callers"))):
        for field in fields:
            public[field][0, int(public[made][0]) :] = chance.randrange(at.SEATS)
    plays, strengths = deal._buffers
    plays[:] = chance.getrandbits(at.CARDS)
    strengths[:] = chance.getrandbits(at.LENGTH_SHIFT)


def _options(deal: Deal) -> list[int]:
    return deal.legal_bids() + [play.cards.bits for play in deal.legal_plays()] + [0] * deal.may_pass


def _read(answer: Any, deal: Deal) -> tuple[int, str]:
    (number, cards), reason = option_of(answer, deal)
    if reason or cards is not None:
        return 0 if cards is None else cards.bits, reason
    return _options(deal)[number], reason


def _take(deal: Deal, option: int) -> None:
    if not option:
        deal.pass_()
    elif deal.in_auction:
        deal.make_bid(option)
    else:
        deal.play(CardSet(option, deal.rules.deck))


def _text(decision: Decision, option: int) -> str:
    if not option:
        return "a pass"
    in_auction = int(decision.public["phase"][0]) == at.AUCTION
    return str(option) if in_auction else decision.rules.deck.text(option)


_GAME = CheckedGame(Deal.new, _twin, _shuffle_hidden, Deal._find_options, _options, _read, _take, _text)


def check_agent(
    agent: AnyAgent | Method | Agent | Callable[[], Agent],
    *,
    deals: int = 8,
    seed: int = 0,
    rules: Sequence[Rules] = CHECKED_RULES,
) -> int:
    """Play `deals` deals under each of `rules` and check every decision of `agent`, its bids too; return their number.

    What may be checked, and what is raised, `agent_check.check_agent_in` says.
    """
    return check_agent_in(_GAME, agent, deals=deals, seed=seed, rules=rules)
