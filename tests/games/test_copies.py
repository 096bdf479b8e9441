"""Copies: whichever way an object is copied, the copy goes on as the original would, and neither disturbs the other."""

import copy
import functools
import json
import pickle
import random
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from bigtwo_agents.big_three.analysis import Position as BigThreePosition
from bigtwo_agents.big_two.analysis import Position
from python_agents import Counting, Uncertain

from bigtwo_sim.core.rng import new_stream, root_key
from bigtwo_sim.games import big_three, big_two
from bigtwo_sim.games.base.copying import Copyable
from bigtwo_sim.games.base.replay import play_through
from bigtwo_sim.games.big_two import CardSet, Deal, Match, PythonAgent, PythonLoop, RecordError
from bigtwo_sim.games.big_two.position import position
from bigtwo_sim.games.big_two.records.record_form import RecordCutError
from bigtwo_sim.games.big_two.wire import Reader, Writer
from bigtwo_sim.roster.level import Level
from bigtwo_sim.roster.spec import parse_agent

WAYS: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "copy of a copy": lambda thing: copy.copy(copy.deepcopy([pickle.loads(pickle.dumps(thing, 2)), thing])[0]),
}
pytestmark = pytest.mark.compiled  # copies are the same as plain Python

SEEDS = range(3)
PRESETS = list(big_two.PRESETS.values())
HOUSE = big_two.Rules().replace(bombs=True, passing="locked_out", last_card=True, opening_play="anything")


# --- deals ------------------------------------------------------------------------------------------------------------
def step(deal: Any, chance: random.Random) -> Hashable:
    """A turn at random; what was to choose from."""
    bids, plays = getattr(deal, "legal_bids", list)(), deal.legal_plays()
    number = chance.randrange(len(bids) + len(plays) + deal.may_pass)
    seen = deal.turn, tuple(bids), tuple(play.cards.bits for play in plays), number
    if number < len(bids):
        deal.make_bid(bids[number])
    elif number < len(bids) + len(plays):
        deal.play(plays[number - len(bids)].cards)
    else:
        deal.pass_()
    return seen


def play_on(deal: Any, seed: int, turns: int = 1000) -> Hashable:
    """Play at random, at most so many turns; all that was to be seen before, on the way and after."""
    chance = random.Random(seed)
    seen: list[Hashable] = [all_of(deal)]
    while not deal.is_over and len(seen) <= turns:
        seen.append(step(deal, chance))
    return (*seen, all_of(deal))


def all_of(deal: Any) -> Hashable:
    """All that is to be seen of a deal."""
    views = repr([deal.view(seat) for seat in range(deal.rules.players)])
    attributes = sorted(set(vars(deal)) - set(deal._HANDLES))
    return views, repr((deal.dealt, deal.hands, deal.winner, deal.is_over and deal.points)), tuple(attributes)


def big_two_deal(seed: int) -> Deal:
    deal = Deal.new([*PRESETS, HOUSE][seed % 6], 7, seed, None if seed % 2 else seed % 4, (1, 2, 3, seed))
    play_on(deal, seed, [0, 1, 5, 17, 30, 1000][seed % 6])
    return deal


def big_three_deal(seed: int) -> big_three.Deal:
    rules = big_three.Rules(players=3 + seed % 2, direction=["right", "clockwise"][seed // 2 % 2])
    deal = big_three.Deal.new(rules, 7, seed, seed % 3)
    play_on(deal, seed, [0, 1, 2, 12, 20, 1000][seed % 6])
    return deal


# --- views ------------------------------------------------------------------------------------------------------------
def view_of(deal: Any, seed: int) -> Any:
    view = deal.view(seed % deal.rules.players)
    for _ in range(seed % 4):
        view.random.random()
    return view


def draw_on(view: Any, seed: int) -> Hashable:
    return (
        repr(view),
        str(view.unseen),
        view.rules.rule_table().tobytes(),
        [view.random.random() for _ in range(5 + seed)],
    )


def described(seed: int) -> Any:
    cards = CardSet.parse("3D 4C 4H 7S TD QD KS 2S")
    view = position(big_two.Rules(), cards, on=CardSet.parse("5D") if seed % 2 else None, left=[3, 5, 1 + seed % 3])
    view.random.random()
    return view


# --- matches and loops ------------------------------------------------------------------------------------------------
def match(seed: int) -> Match:
    made = Match(PRESETS[seed % 5], seed, 40)
    for _ in range(seed % 3):
        if made.winner is None:
            deal = made.next_deal()
            play_on(deal, seed)
            made.end_deal(deal)
    return made


def play_match(made: Match, seed: int) -> Hashable:
    seen = []
    for _ in range(3):
        if made.winner is None:
            deal = made.next_deal()
            seen.append(play_on(deal, seed))
            made.end_deal(deal)
        seen.append((str(made.totals), str(made.number), str(made.leader), str(made.winner)))
    return tuple(seen)


def loop(seed: int) -> PythonLoop:
    agents = [PythonAgent("counting", Counting), parse_agent("greedy"), PythonAgent("uncertain", Uncertain)]
    made = PythonLoop([*agents, parse_agent("random")], PRESETS[seed % 5])
    for index in range(seed % 3):
        made.play_deal(root_key(1), index)
    return made


class CountingBids:
    """Remembers how often it was asked, and acts by it."""

    def __init__(self) -> None:
        self.asked = 0

    def choose(self, view: big_three.View) -> CardSet | int:
        self.asked += 1
        if view.in_auction:
            return self.asked % 2 and view.legal_bids[0]
        return view.legal_plays[self.asked % len(view.legal_plays)].cards


def big_three_loop(seed: int) -> big_three.PythonLoop:
    random_agent = parse_agent("random", "big-three")
    made = big_three.PythonLoop([PythonAgent("counting", CountingBids), random_agent, random_agent], big_three.Rules())
    for index in range(seed % 3):
        made.play_deal(root_key(1), index)
    return made


def play_loop(made: Any, seed: int) -> Hashable:
    played = [made.play_deal(root_key(seed), index) for index in range(2)]
    results = [one[0] if isinstance(one, tuple) else one for one in played]
    return tuple([result.tobytes() for result in results]), repr(made.log), [agent.name for agent in made.agents]


# --- values -----------------------------------------------------------------------------------------------------------
def value_of(thing: Any, seed: int) -> Hashable:
    return repr(thing), hash(thing)


def rules_of(rules: Any, seed: int) -> Hashable:
    table = rules.rule_table()
    return repr(rules), hash(rules), str(rules.deck), table.tobytes(), str(numba.typeof(table)), table.flags.writeable


def result_of(seed: int) -> Any:
    deal = [big_two_deal, big_three_deal][seed % 2](5)
    return [big_two, big_three][seed % 2].DealResult.of(deal, seed % 3)  # type: ignore[attr-defined]


def turns_of(seed: int) -> Any:
    deal = big_two_deal(5)
    return tuple(play_through(Deal.from_hands(deal.rules, list(deal.dealt), deal.leader), deal.log))


def fault_of(seed: int) -> Any:
    class Silent:
        def choose(self, view: Any) -> Any:
            return None

    game = [big_two, big_three][seed % 2]
    made: Any = game.PythonLoop([PythonAgent("silent", Silent)] * (4 - seed % 2), game.Rules())  # type: ignore[attr-defined]
    made.play_deal(root_key(3), seed)
    return made.take_faults()[0]


ERRORS = [
    big_two.AgentFault("a", 1, 2, "late", None),
    big_two.Forfeit("late", "3D"),
    RecordError("wrong", 3, Path("a.txt")),
    RecordCutError("cut", 3, Path("a.txt"), 2),
]


def text_of_error(error: Any, seed: int) -> Hashable:
    return type(error).__name__, str(error), repr(sorted(vars(error).items())), repr(error.args)


def text_of_record(record: Any, seed: int) -> Hashable:
    return str(record), repr(record), hash(record)


def record(seed: int) -> Any:
    made = match(2)
    deal = made.next_deal()
    play_on(deal, seed)
    recorded = big_two.RecordedDeal.of(deal)
    return recorded if seed % 2 else big_two.Record(made.rules, 2, ("a", "b", "c", "d"), (recorded,))


def messages(seed: int) -> Writer:
    made = Writer(PRESETS[seed % 5])
    write(made, seed)
    return made


def write(writer: Writer, seed: int) -> Hashable:
    return writer.turn(Deal.new(writer.rules, seed).view())


def reader(seed: int) -> Reader:
    made = Reader(PRESETS[seed % 5])
    read(made, seed)
    return made


def read(made: Reader, seed: int) -> Hashable:
    return repr(made.turn(json.loads(Writer(made.rules).turn(Deal.new(made.rules, seed).view()))))


# --- the table --------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Case:
    """What is copied, how it is made from a seed, and how it goes on; `seeds` of each."""

    name: str
    make: Callable[[int], Any]
    go_on: Callable[[Any, int], Hashable]
    seeds: range = SEEDS


CASES = [
    Case("Deal", big_two_deal, play_on, range(6)),
    Case("Deal of Big Three", big_three_deal, play_on, range(6)),
    Case("View", lambda seed: view_of(big_two_deal(seed), seed), draw_on),
    Case("View of Big Three", lambda seed: view_of(big_three_deal(seed), seed), draw_on),
    Case("position", described, draw_on),
    Case("Match", match, play_match),
    Case("PythonLoop", loop, play_loop),
    Case("PythonLoop of Big Three", big_three_loop, play_loop),
    Case("CardSet", lambda seed: CardSet(2**seed + 5, PRESETS[seed % 5].deck), value_of),
    Case("Deck", lambda seed: PRESETS[seed % 5].deck, value_of),
    Case("Play", lambda seed: big_two_deal(1).legal_plays()[0], value_of),
    Case("Play of Big Three", lambda seed: big_three_deal(4).legal_plays()[0], value_of),
    Case("Rules", lambda seed: [*PRESETS, HOUSE][seed], rules_of, range(6)),
    Case("Rules of Big Three", lambda seed: big_three.Rules(stake=1 + seed), rules_of, range(6)),
    Case("DealResult", result_of, value_of),
    Case("Turn", turns_of, value_of, range(1)),
    Case("Fault", fault_of, value_of, range(2)),
    Case("Record", record, text_of_record, range(2)),
    Case("error", lambda seed: ERRORS[seed], text_of_error, range(len(ERRORS))),
    Case("Writer", messages, write),
    Case("Reader", reader, read),
]
PARAMETERS = [pytest.param(case, id=case.name) for case in CASES]


@functools.cache
def uncopied(case: Case, seed: int, start: int) -> Hashable:
    """How an object goes on that was never copied."""
    return case.go_on(case.make(seed), start)


def check_copies(case: Case, way: Callable[[Any], Any], seed: int) -> None:
    """The copy goes on as one that was never copied, before and after the original went another way; and the original
    goes on the same, before and after its copy went another way.
    """
    expected, elsewhere = uncopied(case, seed, seed + 1), uncopied(case, seed, seed + 2)
    for copied_first in (True, False):
        original = case.make(seed)
        made = way(original)
        assert type(made) is type(original)
        first, second = (made, original) if copied_first else (original, made)
        assert case.go_on(first, seed + 2) == elsewhere
        assert case.go_on(second, seed + 1) == expected
    made = way(case.make(seed))  # nothing in it may point into the memory of the original, which is gone
    assert case.go_on(made, seed + 1) == expected


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", PARAMETERS)
def test_a_copy_goes_on_by_itself(case: Case, way: str) -> None:
    for seed in case.seeds:
        check_copies(case, WAYS[way], seed)


@pytest.mark.parametrize("make", [big_two_deal, big_three_deal])
def test_turns_of_a_copy_and_its_original_may_be_mixed(make: Callable[[int], Any]) -> None:
    """Both are played on turn by turn, each in its own way, and go on as they would alone."""
    for seed in range(4):
        alone = [make(seed), make(seed)]
        original = make(seed)
        both = [original, copy.copy(original)]
        chances = [[random.Random(number) for number in range(2)] for _ in range(2)]
        while not all(deal.is_over for deal in both):
            for number in range(2):
                if not both[number].is_over:
                    assert step(both[number], chances[0][number]) == step(alone[number], chances[1][number])
        assert list(map(all_of, both)) == list(map(all_of, alone))


def test_a_copied_deal_keeps_what_a_subclass_adds() -> None:
    class Noted(Deal):
        notes: list[str]

    deal = Noted.new(big_two.Rules(), 3)
    deal.notes = ["first"]
    for way in (copy.copy, copy.deepcopy):
        made = way(deal)
        made.notes.append("second")
        assert (type(made), deal.notes) == (Noted, ["first"])


def test_a_deal_takes_few_bytes_to_send() -> None:
    """Scratch space is not sent along: a search that sends positions to its workers sends what they consist of."""
    assert len(pickle.dumps(big_two_deal(3))) < 8_000
    assert len(pickle.dumps(big_three_deal(3))) < 8_000


def test_a_record_that_is_being_written_cannot_be_copied(tmp_path: Path) -> None:
    with big_two.RecordFile.create(
        tmp_path / "record.txt", Match(big_two.Rules(), 1, 10), ["a", "b", "c", "d"]
    ) as file:
        for way in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="a RecordFile cannot be copied or pickled"):
                way(file)


def test_no_object_keeps_a_view_into_its_own_arrays_beyond_its_handles() -> None:
    """Of each kind of object with arrays: what shares memory with another attribute is made again, and not copied."""
    makes: list[Callable[[int], Any]] = [big_two_deal, big_three_deal, loop, big_three_loop]
    for make in makes:
        made = make(3)
        assert isinstance(made, Copyable)
        arrays = [value for value in made.__getstate__().values() if isinstance(value, np.ndarray | np.void)]
        for i, one in enumerate(arrays):
            assert not any(np.may_share_memory(one, other) for other in arrays[:i])
        assert not any(isinstance(value, np.void) for value in arrays)


# --- what takes a search to try ---------------------------------------------------------------------------------------
def analysed(seed: int) -> Position:
    deal = Deal.new(PRESETS[seed % 5], 9, seed)
    while not deal.has_choice:
        play_on(deal, seed, 1)
    return Position(deal.view())


def analysed_big_three(seed: int) -> BigThreePosition:
    deal = big_three.Deal.new(big_three.Rules(players=4), 9, seed)
    while not deal.has_choice:
        play_on(deal, seed, 1)
    return BigThreePosition(deal.view())


def analyse(made: Any, seed: int) -> Hashable:
    name = "big-three" if isinstance(made, BigThreePosition) else "big-two"
    params = parse_agent("monte_carlo:worlds=10", name).params  # type: ignore[union-attr]
    outcomes = made.play(made.best_scored(3), 10, params, new_stream(root_key(seed), 0, 0))
    return outcomes.tobytes(), repr(made.texts), made.scores.tobytes()


def ask_seated(made: Level, seed: int) -> Hashable:
    deal = Deal.new(big_two.Rules(), seed)
    while not deal.has_choice:
        deal.play(deal.legal_plays()[0].cards)
    return str(made.choose(deal.view())), str(deal.view().hand)


SEARCHES = [
    Case("analysed position", analysed, analyse, range(2)),
    Case("analysed position of Big Three", analysed_big_three, analyse, range(2)),
    Case("seated level", lambda seed: Level(["greedy", "heuristic"][seed % 2]), ask_seated, range(2)),
]


@pytest.mark.parametrize("way", ["copy", "deepcopy", "pickle"])
@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in SEARCHES])
def test_a_copy_of_what_searches_goes_on_by_itself(case: Case, way: str) -> None:
    for seed in case.seeds:
        check_copies(case, WAYS[way], seed)
