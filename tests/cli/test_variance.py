"""`bigtwo variance`: its variances by a plain calculation, its table, and what it refuses."""

import itertools
import statistics
from functools import cache
from typing import Any

import numpy as np
import pytest

from bigtwo_sim.arena import seatings
from bigtwo_sim.arena.runners.savings import _turns
from bigtwo_sim.core.rng import root_key
from bigtwo_sim.games.big_two import Rules, play_blocks
from bigtwo_sim.roster.spec import parse_agents
from tests.cli.command_line import good, refused

HEURISTIC, GREEDY = "heuristic", "greedy"


@cache
def report() -> Any:
    return good("variance", HEURISTIC, GREEDY, GREEDY, "random", "--deals", "720", "--seed", "3", "--json").json


def variance_of(of: str, measure: str, way: str) -> float:
    (found,) = (
        row["variance"] for row in report()["rows"] if (row["of"], row["measure"], row["way"]) == (of, measure, way)
    )
    return float(found)


def rest(y: list[float], x: list[float]) -> float:
    """What a regression on x leaves of the variance of y."""
    return statistics.pvariance(y) * (1 - statistics.correlation(x, y) ** 2)


@pytest.mark.compiled
@pytest.mark.parametrize("measure", ["win_rate", "points"])
def test_its_variances_are_the_plain_calculation_deal_by_deal(measure: str) -> None:
    heuristic, greedy, random = parse_agents([HEURISTIC, GREEDY, "random"])
    table: Any = (heuristic, greedy, greedy, random)
    every = seatings(["h", "g", "g", "r"])
    names = np.array(["h", "g", "g", "r"])[every]
    played = play_blocks(table, Rules(), root_key(3), 0, 60, every)
    alone: Any = play_blocks((heuristic,) * 4, Rules(), root_key(3), 0, 60, np.arange(4)[None])  # type: ignore[arg-type]

    def value(result: Any, seats: list[int]) -> float:
        if measure == "points":
            return statistics.mean(float(result["points"][seat]) for seat in seats)
        return statistics.mean(float(result["winner"] == seat) for seat in seats)

    def values(name: str, results: Any) -> list[list[float]]:  # by block, then by seating
        seats = [[seat for seat in range(4) if seated[seat] == name] for seated in names]
        return [
            [value(results[block, min(number, results.shape[1] - 1)], seats[number]) for number in range(12)]
            for block in range(60)
        ]

    h, g, base_h, base_g = (values(name, results) for results in (played, alone) for name in "hg")
    difference = [[a - b for a, b in zip(*rows, strict=True)] for rows in zip(h, g, strict=True)]
    base = [[a - b for a, b in zip(*rows, strict=True)] for rows in zip(base_h, base_g, strict=True)]

    def flat(blocks: list[list[float]]) -> list[float]:
        return list(itertools.chain(*blocks))

    def means(blocks: list[list[float]]) -> list[float]:
        return [statistics.mean(block) for block in blocks]

    def of_turns(blocks: list[list[float]]) -> list[float]:  # turned by hand
        found = []
        for number, block in enumerate(blocks):
            wanted = {tuple(np.roll(names[number % 12], turn)) for turn in range(4)}
            found.append(statistics.mean(v for v, seated in zip(block, names, strict=True) if tuple(seated) in wanted))
        return found

    spread = statistics.pvariance
    expected = {
        (HEURISTIC, "single deals, seats at random"): spread(flat(h)),
        (HEURISTIC, "single deals, with the baseline"): rest(flat(h), flat(base_h)),
        (HEURISTIC, "a deck turned through the four seats"): 4 * spread(of_turns(h)),
        (HEURISTIC, "every seating of a deck"): 12 * spread(means(h)),
        ("heuristic over greedy", "single deals, each agent in its own"): 2 * (spread(flat(h)) + spread(flat(g))),
        ("heuristic over greedy", "single deals, both at one table"): spread(flat(difference)),
        ("heuristic over greedy", "a deck turned through the four seats"): 4 * spread(of_turns(difference)),
        ("heuristic over greedy", "every seating, block by block"): 12 * spread(means(difference)),
        ("heuristic over greedy", "every seating, each agent in its own decks"): 24
        * (spread(means(h)) + spread(means(g))),
    }
    if measure == "points":  # wins add up to one deal, so that nothing of the baseline is left in a block
        expected[HEURISTIC, "every seating, with the baseline"] = 12 * rest(means(h), means(base_h))
    for (of, way), figure in expected.items():
        assert variance_of(of, measure, way) == pytest.approx(figure, rel=1e-4), way
    paired = [
        row for row in report()["rows"] if row["measure"] == measure and row["way"] == "the same, with the baseline"
    ]
    assert paired[0]["variance"] == pytest.approx(rest(flat(difference), flat(base)), rel=1e-4)


@pytest.mark.compiled
def test_a_factor_and_its_deals_follow_from_the_variances() -> None:
    assert report()["blocks"] == 60
    assert report()["deals"] == 720
    assert report()["lineup"] == [HEURISTIC, GREEDY, GREEDY, "random"]
    base = {}
    for row in report()["rows"]:
        first = base.setdefault((row["measure"], row["of"]), row["variance"])
        assert row["factor"] == pytest.approx(first / row["variance"], rel=1e-3)
        assert row["factor_low"] <= row["factor"] <= row["factor_high"]
        assert row["deals_needed"] == pytest.approx(row["variance"] * (1.96 / row["precision"]) ** 2, rel=1e-3)
    assert {row["baseline_deals"] for row in report()["rows"]} == {0.0, 1.0, 1 / 4, 1 / 12}


@pytest.mark.compiled
def test_the_interval_of_a_factor_covers_that_of_many_blocks() -> None:
    def factors(deals: int, seed: int) -> list[dict[str, Any]]:
        rows = good("variance", HEURISTIC, GREEDY, "--deals", str(deals), "--seed", str(seed), "--json").json["rows"]
        return [row for row in rows if row["way"] == "every seating, block by block"]

    truth = factors(30_000, 99)
    covered = [
        row["factor_low"] <= true["factor"] <= row["factor_high"]
        for seed in range(20)
        for row, true in zip(factors(1200, seed), truth, strict=True)
    ]
    assert sum(covered) >= 0.8 * len(covered)


def test_a_turn_has_every_member_once_in_every_seat() -> None:
    for lineup in ([0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 1, 1], [0, 1, 1, 1]):
        every = seatings(lineup)
        weights = _turns(every, lineup)
        seated = np.array(lineup)[every]
        for member in set(lineup):
            often = weights @ (seated == member)
            assert often == pytest.approx(np.full(often.shape, lineup.count(member) / 4))
        assert weights.mean(axis=0) == pytest.approx(np.full(len(every), 1 / len(every)))


@pytest.mark.compiled
def test_its_table_names_every_way_and_breaks_no_line() -> None:
    out = good("variance", HEURISTIC, GREEDY, "--deals", "60").out
    assert "300 deals in 50 blocks under the rules singapore, seed 0" in out
    for words in ("win rate of heuristic over greedy", "points a deal of heuristic\n", "every seating, block by block"):
        assert words in out
    assert "times fewer" in out
    assert max(map(len, out.splitlines())) <= 100
    assert all(line == line.rstrip() for line in out.splitlines())


@pytest.mark.compiled
def test_agents_that_play_alike_save_without_end_and_are_no_fault() -> None:
    rows = good("variance", GREEDY, "same=greedy", "--deals", "300", "--json").json["rows"]
    paired = next(row for row in rows if row["way"] == "every seating, block by block")
    assert (paired["factor"], paired["deals_needed"]) == (None, None)
    assert "none" in good("variance", GREEDY, "same=greedy", "--deals", "300").out


@pytest.mark.parametrize(
    ("agents", "message"),
    [
        (["greedy"], "the agents are greedy; there must be two to four, at least two of them different"),
        (["greedy", "greedy"], "the agents are greedy greedy; there must be two to four"),
        (["greedy"] * 4, "at least two of them different"),
        (
            ["greedy", "random", "a=greedy", "b=greedy", "c=greedy"],
            "the agents are greedy random a=greedy b=greedy c=greedy; there must be two to four",
        ),
        (["greedy", "python_agents:Weakest"], "python_agents:Weakest: this command plays compiled agents only"),
        (["greedy", "nobody"], "nobody"),
    ],
)
def test_what_it_cannot_measure_is_told(agents: list[str], message: str) -> None:
    assert message in refused("variance", *agents)
