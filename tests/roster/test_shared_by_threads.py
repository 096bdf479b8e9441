"""A level or an analysed position that threads share answers each of them as it answers one alone."""

import copy
import random
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from bigtwo_agents.big_three.analysis import Position as BigThreePosition
from bigtwo_agents.big_two.analysis import Position
from bigtwo_agents.big_two.live import LiveMonteCarlo

from bigtwo_sim.core.rng import new_stream, root_key
from bigtwo_sim.games import big_three
from bigtwo_sim.games.base.agent import PolicyAgent
from bigtwo_sim.games.big_two import PRESETS, CardSet, Deal, View
from bigtwo_sim.roster.level import Level
from bigtwo_sim.roster.spec import parse_agent
from tests.games.big_two.decisions import take

pytestmark = pytest.mark.compiled
THREADS = 4


def in_threads(ask: Callable[[Any], Any], questions: Sequence[Any]) -> list[Any]:
    """The answers to `questions`, of which each of the threads takes every fourth; all begin at once."""
    together = Barrier(THREADS)

    def part(number: int) -> list[Any]:
        together.wait()
        return [ask(question) for question in questions[number::THREADS]]

    with ThreadPoolExecutor(THREADS) as pool:
        parts = list(pool.map(part, range(THREADS)))
    answers: list[Any] = [None] * len(questions)
    for number, found in enumerate(parts):
        answers[number::THREADS] = found
    return answers


def views(wanted: int) -> list[View]:
    """So many decisions of deals under all presets, played at random."""
    found: list[View] = []
    chance = random.Random(4)
    for index in range(wanted):
        deal = Deal.new(list(PRESETS.values())[index % 5], 21, index)
        while not deal.is_over and len(found) < wanted:
            plays = deal.legal_plays()
            if deal.has_choice:
                found.append(deal.view())
            passing = [CardSet(0, deal.rules.deck)] * deal.may_pass
            take(deal, chance.choice([play.cards for play in plays] + passing))
    return found


@pytest.mark.parametrize(
    ("level", "decisions"), [("normal", 800), ("strong:worlds=30", 240), ("heuristic", 800), ("easy", 800)]
)
def test_threads_may_share_a_seated_level(level: str, decisions: int) -> None:
    seated, asked = Level(level), views(decisions)
    alone = [seated.choose(view) for view in asked]
    assert in_threads(seated.choose, asked) == alone


@pytest.mark.parametrize("players", [3, 4])
def test_threads_may_share_a_level_of_big_three(players: int) -> None:
    """Each thread has deals of its own, and all ask one agent."""
    agent = parse_agent("monte_carlo:worlds=20", "big-three")
    assert isinstance(agent, PolicyAgent)
    policy, asked = agent, []
    chance = random.Random(4)
    deal = big_three.Deal.new(big_three.Rules(players=players), 2)
    while not deal.is_over:
        if deal.has_choice:
            asked.append(deal)
        deal = copy.copy(deal)
        deal.take(chance.randrange(deal.option_count + deal.may_pass))

    def ask(deal: big_three.Deal) -> int:
        return deal.ask(policy, new_stream(root_key(1), len(deal.log), 0))

    alone = [ask(deal) for deal in asked]
    assert len(asked) > 10
    assert in_threads(ask, asked * 2) == alone * 2


def first_choice(deal: Any) -> Any:
    while not deal.has_choice:
        deal.play(deal.legal_plays()[0].cards)
    return deal.view()


@pytest.mark.parametrize("game", ["big-two", "big-three"])
def test_threads_may_share_an_analysed_position(game: str) -> None:
    if game == "big-two":
        here: Any = Position(first_choice(Deal.new(PRESETS["pagat"], 5)))
    else:
        here = BigThreePosition(first_choice(big_three.Deal.new(big_three.Rules(players=4), 5)))
    agent = parse_agent("monte_carlo", game)
    assert isinstance(agent, PolicyAgent)
    params, chosen = agent.params, here.best_scored(5)

    def ask(seed: int) -> bytes:
        outcomes: np.ndarray[Any, Any] = here.play(chosen, 20, params, new_stream(root_key(seed), 0, 0))
        return outcomes.tobytes()

    seeds = range(80)
    assert in_threads(ask, seeds) == [ask(seed) for seed in seeds]


def test_threads_may_share_the_live_player() -> None:
    """How many worlds it looks at depends on the clock; each thread still gets an option of its own position."""
    live, asked = LiveMonteCarlo(milliseconds=2), views(60)
    for view, cards in zip(asked, in_threads(live.choose, asked), strict=True):
        assert cards in [*(play.cards for play in view.legal_plays), CardSet(0, view.rules.deck)]
        assert cards or view.may_pass
