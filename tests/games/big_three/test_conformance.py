"""Big Three's `check_agent` passes its agents and tells what is wrong with others, in the auction and in the play."""

from typing import Any

import pytest

from bigtwo_sim.games.big_three import PRESETS, SWITCHES, AgentFault, CardSet, PolicyAgent, check_agent
from bigtwo_sim.games.big_three.conformance import CHECKED_RULES
from bigtwo_sim.roster.methods import method, method_names
from tests.conftest import INTERPRETED

DEALS = 1 if INTERPRETED else 4
BIG_THREE = "big-three"


@pytest.mark.parametrize("name", [name for name in method_names(BIG_THREE) if name != "monte_carlo"])
def test_every_built_in_agent_passes(name: str) -> None:
    assert check_agent(method(name, BIG_THREE), deals=DEALS) > 50


@pytest.mark.compiled
def test_the_searching_agent_passes() -> None:
    found = method("monte_carlo", BIG_THREE)
    assert check_agent(PolicyAgent("search", found, found.params({"worlds": 4})), deals=2) > 100


def test_the_rules_of_the_check_turn_every_switch() -> None:
    assert set(PRESETS.values()) <= set(CHECKED_RULES)
    for switch in SWITCHES:
        assert len({getattr(rules, switch) for rules in CHECKED_RULES}) > 1, switch


class Honest:
    """Bids the least it may on odd seats, leads other cards of the same ranks than are listed."""

    def choose(self, view: Any) -> Any:
        if view.in_auction:
            return view.legal_bids[0] if view.seat % 2 and view.legal_bids else 0
        if not view.legal_plays:
            return CardSet(0, view.rules.deck)
        first = view.legal_plays[0].cards
        if len(first) > 1:
            return first
        rank = str(first)[0]
        return [CardSet(card.bits, view.rules.deck) for card in view.hand if str(card)[0] == rank][-1]


class Fickle(Honest):
    """Bids the first time that any of its kind is asked, and remembers that it did."""

    asked = 0

    def choose(self, view: Any) -> Any:
        Fickle.asked += 1
        return int(Fickle.asked == 1) if view.in_auction and 1 in view.legal_bids else super().choose(view)


def cheating() -> Any:
    """A policy that looks at memory beyond its options."""
    from bigtwo_sim.games.big_three import Method, policy

    @policy
    def choose(hand, public, plays, strengths, count, params, stream):  # type: ignore[no-untyped-def]
        return count - 1 if count > 0 and plays[count] & 1 else 0

    return Method("cheating", choose)


def test_honest_agents_pass() -> None:
    assert check_agent(Honest, deals=DEALS) > 50


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lambda view: 9 if view.in_auction else 0, r"seat . bid 9; it may bid"),
        (lambda view: None, "answered None"),
        (lambda view: 0, "which is not a CardSet"),
    ],
)
def test_what_is_no_answer_is_told(answer: Any, reason: str) -> None:
    class Wrong:
        def choose(self, view: Any) -> Any:
            return answer(view)

    with pytest.raises(AgentFault, match=reason):
        check_agent(Wrong, deals=1)


def test_memory_and_peeking_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Fickle, "asked", 0)
    with pytest.raises(AgentFault, match="asked again from the same view"):
        check_agent(Fickle, deals=2)
    with pytest.raises(AgentFault, match=r"asked again from the same view|when the cards it cannot see were others"):
        check_agent(cheating(), deals=4)
