"""The check that every agent must pass: legal, repeatable, and blind to what it cannot see (see `agent_check`)."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from bigtwo_sim.core.cards import CardSet
from bigtwo_sim.games.base.conformance import CheckedGame, Decision, check_agent_in, deal_hidden
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.deal import Agent, Deal
from bigtwo_sim.games.big_two.policy import Method
from bigtwo_sim.games.big_two.python_agent import AnyAgent, Forfeit, cards_of
from bigtwo_sim.games.big_two.rules import PRESETS, Rules

CHECKED_RULES: tuple[Rules, ...] = (
    *PRESETS.values(),
    Rules().replace(
        name="house: bombs, locked out, last card",
        suit_order="SHCD",
        passing="locked_out",
        flush="ranks_first",
        four_card_plays="four_of_a_kind",
        bombs=True,
        last_card=True,
        opening_play="anything",
    ),
    Rules().replace(
        name="house: two pairs, bombs, no triples",
        flush="none",
        triples=False,
        four_card_plays="two_pairs_and_four_of_a_kind",
        bombs=True,
        opening_play="single",
        settlement="pairwise",
    ),
    Rules().replace(name="house: last card, four with a fifth as bomb", bombs=True, last_card=True, flush="top_card"),
)
"""What `check_agent` plays under: the presets, and house rules that between them turn every switch on."""


def _twin(decision: Decision) -> Deal:
    return Deal(decision.rules, decision.hands.copy(), leader=decision.seat)


def _shuffle_hidden(deal: Deal, chance: random.Random) -> None:
    others = [seat for seat in range(at.SEATS) if seat != deal.turn]
    hidden = [card.bits.bit_length() - 1 for seat in others for card in deal.hands[seat]]
    chance.shuffle(hidden)
    deal_hidden(deal._hands, [-1 if seat == deal.turn else deal.left[seat] for seat in range(at.SEATS)], hidden)
    turns = int(deal._public.turns)
    deal._public_array["log"][0, turns:] = chance.getrandbits(at.CARDS)
    deal._public_array["log_seats"][0, turns:] = chance.randrange(at.SEATS)
    plays, strengths = deal._buffers
    plays[:] = chance.getrandbits(at.CARDS)
    strengths[:] = chance.getrandbits(at.CATEGORY_SHIFT)


def _options(deal: Deal) -> list[int]:
    return [play.cards.bits for play in deal.legal_plays()] + [0] * deal.may_pass


def _read(answer: Any, deal: Deal) -> tuple[int, str]:
    try:
        cards = cards_of(answer)
    except Forfeit as fault:
        return 0, fault.reason
    legal = any(play.cards == cards for play in deal.legal_plays()) or (not cards and deal.may_pass)
    return cards.bits, "" if legal else f"answered {cards or 'a pass'}, which is not legal there"


def _take(deal: Deal, option: int) -> None:
    if option:
        deal.play(CardSet(option, deal.rules.deck))
    else:
        deal.pass_()


def _text(decision: Decision, option: int) -> str:
    return decision.rules.deck.text(option) or "a pass"


_GAME = CheckedGame(Deal.new, _twin, _shuffle_hidden, Deal._find_options, _options, _read, _take, _text)


def check_agent(
    agent: AnyAgent | Method | Agent | Callable[[], Agent],
    *,
    deals: int = 8,
    seed: int = 0,
    rules: Sequence[Rules] = CHECKED_RULES,
) -> int:
    """Play `deals` deals under each of `rules` and check every decision of `agent`; return how many there were.

    `agent` is a PolicyAgent, a Method (with its defaults), a PythonAgent, an object with `choose(view)`, or a factory
    of such objects (best: a factory also shows what an object remembers from one deal to the next).

    Raises AgentFault at the first decision that is illegal, raises an exception, changes when it is asked again,
    changes with what the agent cannot see, or writes where a policy must not; AgentError for what is no agent.
    """
    return check_agent_in(_GAME, agent, deals=deals, seed=seed, rules=rules)
