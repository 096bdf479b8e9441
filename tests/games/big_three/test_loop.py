"""Big Three's Python loop: the compiled loop to the bit, Python agents beside policies, and what they do wrong."""

import itertools
from typing import Any

import numpy as np
import pytest
from bigtwo_agents.big_three import greedy, heuristic
from bigtwo_agents.big_three import random as random_method

from bigtwo_sim.core.rng import root_key
from bigtwo_sim.games.big_three import (
    PRESETS,
    AgentFault,
    CardSet,
    Deal,
    DealResult,
    PolicyAgent,
    PythonAgent,
    PythonLoop,
    Rules,
    View,
    play_blocks,
)
from tests.games.big_three.sides import ALL_RULES, RULES_IDS, amount

pytestmark = pytest.mark.kernel

SHAANXI = PRESETS["shaanxi"]
KEY = root_key(2024)
RANDOM, GREEDY, HEURISTIC = (
    PolicyAgent(method.name, method, method.params())
    for method in (random_method.METHOD, greedy.METHOD, heuristic.METHOD)
)


def seatings(players: int) -> np.ndarray:
    return np.array(list(itertools.permutations(range(players)))[: amount(6, 1)])


class Greedy:
    """The greedy player once more, from the view alone."""

    def choose(self, view: View) -> CardSet | int:
        if view.in_auction:
            high = sum(str(card)[0] in view.rules.deck.ranks[-3:] for card in view.hand)
            return min(high - 4, 3) if min(high - 4, 3) > view.bid else 0
        if view.play_to_beat is not None:
            return view.legal_plays[0].cards
        weakest = next(iter(view.hand))
        best = None
        for play in view.legal_plays:
            if play.cards & weakest and (best is None or play.size > best.size):
                best = play
        assert best is not None
        return best.cards


@pytest.mark.parametrize("rules", ALL_RULES, ids=RULES_IDS)
def test_both_loops_agree_to_the_bit(rules: Rules) -> None:
    agents = [RANDOM, HEURISTIC, GREEDY, RANDOM][: rules.players]
    blocks = amount(4, 1)
    compiled = play_blocks(agents, rules, KEY, 3, blocks, seatings(rules.players))
    python = PythonLoop(agents, rules).play_blocks(KEY, 3, blocks, seatings(rules.players))
    twin = [RANDOM, HEURISTIC, PythonAgent("twin", Greedy), RANDOM][: rules.players]
    mixed = PythonLoop(twin, rules).play_blocks(KEY, 3, blocks, seatings(rules.players))
    for name in compiled.dtype.names or ():
        np.testing.assert_array_equal(python[name], compiled[name], err_msg=name)
        np.testing.assert_array_equal(mixed[name], compiled[name], err_msg=name)


class Watching(Greedy):
    """Keeps what it is asked and told."""

    seen: list[Any] = []  # noqa: RUF012 - shared on purpose by all seats

    def new_deal(self, view: View) -> None:
        self.seen.append(("new", view))

    def choose(self, view: View) -> CardSet | int:
        self.seen.append(("asked", view))
        return super().choose(view)

    def end_deal(self, result: DealResult) -> None:
        self.seen.append(("end", result))


def test_an_agent_is_told_of_the_deal_and_its_end() -> None:
    Watching.seen.clear()
    loop = PythonLoop([PythonAgent(f"agent {seat}", Watching) for seat in range(3)], SHAANXI)
    _, deal = loop.play_deal(KEY, 0, range(3))
    kinds = [kind for kind, _ in Watching.seen]
    assert kinds[:3] == ["new"] * 3
    assert kinds[-3:] == ["end"] * 3
    fresh = Deal.new(SHAANXI, 2024, 0)
    for seat, (_, view) in enumerate(Watching.seen[:3]):
        assert (view.seat, view.hand, view.legal_bids) == (seat, fresh.hands[seat], ())
    for seat, (_, result) in enumerate(Watching.seen[-3:]):
        assert result == DealResult.of(deal, seat)
        assert sum(result.points) == 0
    assert loop.seconds.min() > 0


class Saying:
    """Bids nothing, and in the play gives one answer."""

    def __init__(self, bid: Any, answer: Any) -> None:
        self.bid = bid
        self.answer = answer

    def choose(self, view: View) -> Any:
        return self.bid if view.in_auction else self.answer


def raising(view: View) -> Any:
    raise KeyError("no such weight")


@pytest.mark.parametrize(
    ("bid", "answer", "reason"),
    [
        ("2", None, r"answered 2 \(str\), which is not a bid; a bid is an int"),
        (True, None, r"answered True \(bool\), which is not a bid"),
        (4, None, "answered 4: seat 0 bid 4; it may bid "),
        (0, None, r"answered None \(NoneType\), which is not a CardSet"),
        (0, CardSet.parse("4D"), "answered 4D: the cards have the ranks in the order"),
        (0, CardSet.parse("4D 5D", SHAANXI.deck), "answered 4D 5D: "),
    ],
)
def test_what_an_agent_does_wrong_is_named_forfeited_and_kept(bid: Any, answer: Any, reason: str) -> None:
    agents = [PythonAgent("mine", lambda: Saying(bid, answer)), GREEDY, GREEDY]
    loop = PythonLoop(agents, SHAANXI)
    results = loop.play_blocks(KEY, 0, 4, np.arange(3)[None])
    assert results["forfeits"][:, 0, 0].sum() > 0
    assert not results["forfeits"][:, 0, 1:].any()
    (fault,) = loop.take_faults()
    assert (fault.agent, fault.seat) == ("mine", 0)
    with pytest.raises(ValueError, match=reason):
        raise ValueError(fault.reason)
    deal = fault.deal()
    assert deal.turn == 0
    assert deal.in_auction == (bid != 0)
    assert fault.to_dict()["agents"] == ["mine", "greedy", "greedy"]
    assert loop.take_faults() == ()
    with pytest.raises(AgentFault, match=reason) as caught:
        PythonLoop(agents, SHAANXI, strict=True).play_blocks(KEY, 0, 4, np.arange(3)[None])
    assert caught.value.fault == fault
    loop.close()


def test_an_exception_is_a_fault_too() -> None:
    class Broken:
        choose = staticmethod(raising)

    loop = PythonLoop([PythonAgent("mine", Broken), GREEDY, GREEDY], SHAANXI)
    loop.play_deal(KEY, 0, [0, 1, 2])
    assert loop.take_faults()[0].reason.startswith("raised KeyError: 'no such weight'")


def test_a_line_up_has_as_many_agents_as_players() -> None:
    with pytest.raises(ValueError, match="there are 3 agents; the rules have 4 players"):
        PythonLoop([GREEDY] * 3, SHAANXI.replace(players=4))
