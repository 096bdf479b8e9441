"""Line-ups and seatings, against a plain count of everything that there is."""

import itertools
from collections import Counter

import pytest

from bigtwo_sim.arena import entries, lineup_count, round_robin, seatings


def words(agents: str) -> list[str]:
    return ["".join(lineup) for lineup in round_robin(agents)]


def test_one_to_three_agents_fill_four_seats_in_every_way_that_seats_each() -> None:
    assert words("A") == ["AAAA"]
    assert words("AB") == ["ABBB", "AABB", "AAAB"]
    assert words("ABC") == ["ABCC", "ABBC", "AABC"]


def test_four_agents_are_one_line_up() -> None:
    assert words("ABCD") == ["ABCD"]


def test_more_agents_meet_in_every_four() -> None:
    assert words("ABCDE") == ["ABCD", "ABCE", "ABDE", "ACDE", "BCDE"]
    assert len(words("ABCDEFGH")) == 70


@pytest.mark.parametrize("count", range(1, 9))
def test_line_ups_are_all_the_multisets_that_there_are(count: int) -> None:
    agents = "ABCDEFGH"[:count]
    every = {"".join(sorted(four)) for four in itertools.product(agents, repeat=4)}
    expected = {four for four in every if len(set(four)) == min(count, 4)}
    assert set(words(agents)) == expected
    assert len(words(agents)) == len(expected) == lineup_count(count)


def test_no_agent_makes_no_line_up() -> None:
    with pytest.raises(ValueError, match="there is no agent"):
        round_robin([])


@pytest.mark.parametrize("lineup", ["".join(four) for four in itertools.product("ABCD", repeat=4)])
def test_seatings_are_all_distinct_arrangements_once(lineup: str) -> None:
    found = seatings(lineup)
    assert found.shape == (len(set(itertools.permutations(lineup))), 4)
    assert {tuple(lineup[slot] for slot in slots) for slots in found.tolist()} == set(itertools.permutations(lineup))
    for slots in found.tolist():
        assert sorted(slots) == [0, 1, 2, 3]
        for agent in set(lineup):
            assert [slot for slot in slots if lineup[slot] == agent] == [
                slot for slot in range(4) if lineup[slot] == agent
            ]


@pytest.mark.parametrize(("lineup", "count"), [("AAAA", 1), ("ABBB", 4), ("AABB", 6), ("ABCC", 12), ("ABCD", 24)])
def test_known_numbers_of_seatings(lineup: str, count: int) -> None:
    assert len(seatings(lineup)) == count


@pytest.mark.parametrize("lineup", ["AAAA", "ABBB", "AABB", "ABCC", "ABCD"])
def test_every_agent_sits_equally_often_in_every_seat(lineup: str) -> None:
    found = seatings(lineup)
    for agent in set(lineup):
        by_seat = Counter(seat for slots in found.tolist() for seat in range(4) if lineup[slots[seat]] == agent)
        assert set(by_seat.values()) == {len(found) * lineup.count(agent) // 4}


def test_a_line_up_has_as_many_members_as_a_table_has_seats() -> None:
    with pytest.raises(ValueError, match="the line-up has 1 members; it must have 2 to 4"):
        seatings("A")
    with pytest.raises(ValueError, match="the line-up has 5 members; it must have 2 to 4"):
        seatings("ABCDE")


def test_entries_name_each_agent_of_each_line_up_once() -> None:
    found = entries([(0, 1, 1, 1), (0, 0, 1, 1)])
    assert [(entry.lineup, entry.agent, entry.copies, entry.deals) for entry in found] == [
        (0, 0, 1, 4),
        (0, 1, 3, 4),
        (1, 0, 2, 6),
        (1, 1, 2, 6),
    ]
    assert [entry.samples for entry in found] == [4, 12, 12, 12]
