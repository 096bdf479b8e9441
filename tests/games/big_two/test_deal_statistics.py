"""What a census tells of deals, beside the same deals told by the loop in Python and the slow reference."""

import random
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from bigtwo_sim.core.rng import root_key
from bigtwo_sim.games.big_two import AgentError, PolicyAgent, PythonAgent, PythonLoop, Rules, play_blocks
from bigtwo_sim.games.big_two.kernels.deal_statistics import CENSUS, KINDS, census
from bigtwo_sim.roster.spec import parse_agent
from tests.games.big_two.sides import amount, engine_rules, text
from tests.reference.big_two import KINDS as NAIVE_KINDS
from tests.reference.big_two import NaiveDeal, classify
from tests.reference.vectors import PRESETS, random_rules

pytestmark = pytest.mark.kernel

HOUSES = {f"house {number}": random_rules(random.Random(f"census {number}")) for number in range(5)}
ALL_RULES = {**PRESETS, **HOUSES}


def compiled(name: str) -> PolicyAgent:
    agent = parse_agent(name)
    assert isinstance(agent, PolicyAgent)
    return agent


LINE_UP = [compiled(name) for name in ("random", "greedy", "random", "greedy")]


@pytest.mark.parametrize("name", ALL_RULES)
def test_a_deal_is_counted_as_the_reference_tells_it(name: str) -> None:
    plain: SimpleNamespace = ALL_RULES[name]
    chosen = engine_rules(plain)
    first = 3
    facts = census(LINE_UP, chosen, seed=7, deals=amount(30, 2), first=first)
    loop = PythonLoop(LINE_UP, chosen)
    for index, fact in enumerate(facts, start=first):
        loop.play_deal(root_key(7), index)
        naive = NaiveDeal([text(int(hand), plain) for hand in fact["hands"]], plain)
        assert [str(hand).split() for hand in loop.dealt] == [list(text(int(hand), plain)) for hand in fact["hands"]]
        assert fact["leader"] == naive.turn
        kinds: Counter[str] = Counter()
        tricks = 0
        for _, cards in loop.log:
            tricks += naive.play_to_beat is None
            if cards:
                kinds[classify(str(cards).split(), plain)[0]] += 1  # type: ignore[index]
                # The reference need not list the legal plays, which takes long, to take a play.
                naive.legal_plays = lambda cards=cards: [tuple(str(cards).split())]  # type: ignore[method-assign]
                naive.apply_play(str(cards).split())
            else:
                naive.may_pass = lambda: True  # type: ignore[method-assign]
                naive.pass_()
        assert fact["turns"] == len(loop.log)
        assert fact["tricks"] == tricks
        assert fact["kinds"].tolist() == [kinds[kind] for kind in NAIVE_KINDS]
        assert fact["winner"] == naive.winner
        assert fact["left"].tolist() == [len(hand) for hand in naive.hands]
        assert fact["points"].tolist() == naive.points


def test_kinds_are_named_in_the_order_in_which_they_are_counted() -> None:
    assert tuple(KINDS) == NAIVE_KINDS
    assert CENSUS["kinds"].shape == (len(KINDS),)


def test_a_census_is_the_same_whoever_takes_it_and_in_whatever_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    deals = amount(600, 6)
    whole = census(LINE_UP, Rules(), seed=1, deals=deals)
    monkeypatch.setattr("bigtwo_sim.games.big_two.kernels.deal_statistics.PORTION", max(1, deals // 7))
    assert np.array_equal(census(LINE_UP, Rules(), seed=1, deals=deals, workers=3), whole)
    tail = census(LINE_UP, Rules(), seed=1, deals=2, first=deals - 2)
    assert np.array_equal(tail, whole[-2:])


def test_its_deals_are_those_of_the_compiled_loop() -> None:
    deals = amount(500, 5)
    facts = census(LINE_UP, Rules(), seed=5, deals=deals)
    results = play_blocks(tuple(LINE_UP), Rules(), root_key(5), 0, deals, np.arange(4)[None])[:, 0]  # type: ignore[arg-type]
    for name in ("winner", "left", "points"):
        assert np.array_equal(facts[name], results[name]), name


def test_what_cannot_be_counted_is_refused() -> None:
    with pytest.raises(AgentError, match="3 agents are seated; there must be 4, one a seat"):
        census(LINE_UP[:3], Rules(), deals=1)
    with pytest.raises(AgentError, match="mine is not compiled"):
        census([PythonAgent("mine", object), *LINE_UP[1:]], Rules(), deals=1)  # type: ignore[list-item]
    with pytest.raises(ValueError, match="deals is 0 and first 0; they must be at least 1 and 0"):
        census(LINE_UP, Rules(), deals=0)
