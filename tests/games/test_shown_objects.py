"""What an agent is shown cannot change the deal or what others see, and holds nothing that it may not know."""

import copy
import json
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from bigtwo_sim.core.cards import BIG_TWO_DECK, CardSet, Deck
from bigtwo_sim.core.rng import root_key
from bigtwo_sim.games import big_three, big_two
from bigtwo_sim.games.base.plays import BasePlay
from bigtwo_sim.games.base.python_agent import PythonAgent
from bigtwo_sim.games.base.ruleset import RuleSet
from bigtwo_sim.games.base.view import BaseView, DealInProgress
from bigtwo_sim.games.big_two.view_maker import ViewMaker
from bigtwo_sim.games.big_two.wire import Writer
from tests.games.object_graph import is_plain, reachable

pytestmark = pytest.mark.compiled  # what is reached from what is the same as plain Python

KEY = root_key(11)
SMALL = 10**6  # seats, counts, points and switches are less; cards and seeds are seldom
GAMES = [
    pytest.param(big_two, big_two.Rules(), id="big-two"),
    pytest.param(big_two, big_two.PRESETS["taiwan"].replace(bombs=True, passing="locked_out"), id="big-two-house"),
    pytest.param(big_three, big_three.Rules(), id="big-three"),
    pytest.param(big_three, big_three.Rules(players=4), id="big-three-pairs"),
]


def options(view: Any) -> list[Any]:
    """All that an agent may answer."""
    cards = [play.cards for play in view.legal_plays]
    return [*getattr(view, "legal_bids", ()), *cards, *([cards[0] - cards[0]] if view.may_pass and cards else [])]


@dataclass(frozen=True)
class Shown:
    """Something that an agent was shown, and when."""

    agent: int
    news: Any
    text: str


class Recorder:
    """Keeps what it is shown, and answers by its view's own stream."""

    def __init__(self, number: int, shown: list[Shown]) -> None:
        self.number = number
        self.shown = shown

    def keep(self, news: Any) -> None:
        self.shown.append(Shown(self.number, news, repr(news)))

    new_deal = end_deal = keep

    def choose(self, view: Any) -> Any:
        self.keep(view)
        if not options(view):  # a pass, or nothing but bids that it will not make
            return 0 if getattr(view, "in_auction", False) else CardSet(0, view.rules.deck)
        return options(view)[view.stream_seed % len(options(view))]


def loop_of(game: Any, rules: Any, *agents: Any) -> Any:
    return game.PythonLoop([PythonAgent(f"agent {i}", lambda made=made: made) for i, made in enumerate(agents)], rules)


def play_deals(loop: Any, deals: int) -> Iterator[tuple[Any, Any, Any]]:
    """Play deals: of each its result, the hands as dealt (the kitty last) and the log."""
    for index in range(deals):
        result = loop.play_deal(KEY, index)
        if isinstance(loop, big_two.PythonLoop):
            yield result, loop.dealt, loop.log
        else:
            yield result[0], (*result[1].dealt, result[1].dealt_kitty), loop.log


def shown_in_a_run(game: Any, rules: Any, deals: int = 2) -> tuple[Any, list[Shown], list[tuple[Any, Any, Any]]]:
    shown: list[Shown] = []
    loop = loop_of(game, rules, *[Recorder(i, shown) for i in range(rules.players)])
    played = list(play_deals(loop, deals))
    assert not loop.take_faults()
    return loop, shown, played


# --- it is immutable --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("game", "rules"), GAMES)
def test_no_attribute_of_what_is_shown_can_be_set(game: Any, rules: Any) -> None:
    _, shown, _ = shown_in_a_run(game, rules, 1)
    kinds = set()
    for one in shown:
        for thing in reachable(one.news):
            if is_dataclass(thing):
                kinds.add(type(thing).__name__)
                for field in fields(thing):
                    with pytest.raises(AttributeError):
                        setattr(thing, field.name, 0)
                    with pytest.raises(AttributeError):
                        delattr(thing, field.name)
    assert kinds == {"View", "CardSet", "Play", "Rules", "Deck", "DealResult"}


@pytest.mark.parametrize(("game", "rules"), GAMES)
@pytest.mark.parametrize(
    "way", [lambda rules: rules, copy.deepcopy, copy.copy, lambda r: pickle.loads(pickle.dumps(r))]
)
def test_the_rules_table_can_never_be_written_to(game: Any, rules: Any, way: Callable[[Any], Any]) -> None:
    rules.rule_table()
    table = way(rules).rule_table()
    with pytest.raises(ValueError, match="read-only"):
        table[0] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        table.flags.writeable = True
    assert (table == rules.rule_table()).all()


def test_what_a_deck_knows_of_its_cards_cannot_be_changed() -> None:
    deck = Deck(suits="SHCD")
    assert deck.parse("3S") == 1
    changing: Any = deck._numbers
    with pytest.raises(TypeError):
        changing["3S"] = 5
    assert pickle.loads(pickle.dumps(deck)) == deck


@pytest.mark.parametrize(("game", "rules"), GAMES)
def test_lists_that_a_deal_gives_out_are_copies(game: Any, rules: Any) -> None:
    deal = game.Deal.new(rules, 3)
    while not deal.is_over:
        before = repr((deal.view(), deal.legal_plays(), deal.log))
        for name in ("log", "calls", "legal_plays", "legal_bids"):
            given = getattr(deal, name, list)
            given = given() if callable(given) else given
            given.clear()
        for thing in reachable(deal.view()):
            damage(thing)
        others = [deal.view(seat) for seat in range(rules.players) if seat != deal.turn]
        assert {view.rules.name for view in others} == {rules.name}
        deal._shown_rules.clear()  # the damaged ones, which only that seat would see again
        assert repr((deal.view(), deal.legal_plays(), deal.log)) == before
        if getattr(deal, "in_auction", False):
            deal.make_bid(deal.legal_bids()[-1])
        elif deal.legal_plays():
            deal.play(deal.legal_plays()[-1].cards)
        else:
            deal.pass_()


def damage(thing: Any) -> None:
    """Change an object by force, whatever it is."""
    if isinstance(thing, CardSet | BasePlay | RuleSet | Deck | BaseView):
        for field in fields(thing):  # type: ignore[arg-type]
            object.__setattr__(thing, field.name, 0)
    elif isinstance(thing, list | dict | set):
        thing.clear()


class Vandal(Recorder):
    """Damages all that it is shown, and answers now with what it took from it before, now with no cards."""

    def keep(self, news: Any) -> None:
        for thing in reachable(news):
            damage(thing)

    new_deal = end_deal = keep
    deck = BIG_TWO_DECK

    def choose(self, view: Any) -> Any:
        found = options(view)
        answer = found[0] if found else 0
        if isinstance(answer, CardSet):
            answer = CardSet(answer.bits * (view.stream_seed % 2), self.deck)
        self.keep(view)
        return answer


@pytest.mark.parametrize(("game", "rules"), GAMES)
@pytest.mark.parametrize("vandals", [1, 2])
def test_an_agent_that_damages_what_it_was_shown_harms_nobody_else(game: Any, rules: Any, vandals: int) -> None:
    """All that the others saw in three deals is what an undisturbed deal with the same turns shows."""
    shown: list[Shown] = []
    agents = [Vandal(i, shown) for i in range(vandals)]
    for agent in agents:
        agent.deck = Deck(rules.deck.ranks, rules.deck.suits)
    text = repr(rules)
    honest = [Recorder(i, shown) for i in range(vandals, rules.players)]
    loop = loop_of(game, rules, *agents, *honest)
    forfeits, decisions = np.zeros(4, np.int64), np.zeros(4, np.int64)
    for index, (result, dealt, log) in enumerate(play_deals(loop, 3)):
        forfeits[: rules.players] += result["forfeits"][: rules.players]
        decisions[: rules.players] += result["decisions"][: rules.players]
        assert repr(rules) == text
        again = game.Deal.numbered(rules, KEY, index) if game is big_three else game.Deal.from_hands(rules, list(dealt))
        for call in getattr(loop, "calls", ()):
            _check_views(again, shown, rules, vandals)
            again.make_bid(call[1]) if call[1] else again.pass_()
        for seat, cards in log:
            _check_views(again, shown, rules, vandals)
            assert seat == again.turn
            again.play(cards) if cards else again.pass_()
        assert again.winner == result["winner"]
        assert list(again.points) == result["points"][: rules.players].tolist()
        assert [one.news.log for one in shown if type(one.news).__name__ == "DealResult"] == [tuple(log)] * len(honest)
        assert all(repr(one.news) == one.text for one in shown), "what is kept does not change later"
        shown.clear()
    assert (decisions[: rules.players] > 10).all()
    assert not forfeits[vandals:].any()


def _check_views(again: Any, shown: list[Shown], rules: Any, vandals: int) -> None:
    """What an honest agent saw on its turn is what it sees in `again`, but for its stream, which is the loop's."""
    if again.turn < vandals or not again.has_choice:
        return
    turns = len(again.log), len(getattr(again, "calls", ()))
    seen = [
        one.text
        for one in shown
        if one.agent == again.turn
        and isinstance(one.news, BaseView)
        and (one.news.legal_plays or getattr(one.news, "legal_bids", ()))
        and (len(one.news.log), len(getattr(one.news, "calls", ()))) == turns
    ]
    assert [text.partition("stream_seed")[0] for text in seen] == [repr(again.view()).partition("stream_seed")[0]]


def test_views_that_a_loop_makes_have_all_fields_and_are_equal_to_those_of_a_deal() -> None:
    _, shown, _ = shown_in_a_run(big_two, big_two.Rules(), 1)
    views = [one.news for one in shown if isinstance(one.news, big_two.View)]
    for view in views:
        assert list(vars(view)) == [field.name for field in fields(view)]
        assert view == big_two.View(**vars(view))
        assert hash(view) == hash(big_two.View(**vars(view)))
    assert len(views) > 20


# --- it is nobody else's ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("game", "rules"), GAMES)
def test_nothing_that_could_be_changed_is_shared_with_the_engine_or_with_others(game: Any, rules: Any) -> None:
    loop, shown, _ = shown_in_a_run(game, rules)
    owners: dict[int, int] = {}
    agents = reachable(*loop._choosers)
    engine = reachable(*[value for name, value in vars(loop).items() if name not in AGENTS_OWN])
    for thing in engine:
        owners[id(thing)] = -1
    kept = {id(thing) for thing in agents}
    for one in shown:
        for thing in reachable(one.news):
            if id(thing) in kept and not isinstance(thing, BaseView) and is_plain(thing):
                continue
            if not is_plain(thing):
                assert owners.setdefault(id(thing), one.agent) == one.agent, f"{thing!r:.200} is shared"


AGENTS_OWN = ("_choosers", "_new_deal", "_end_deal", "_hooks", "_makers", "_deal", "agents")
"""Attributes of a loop that lead to the agents themselves, and to what makes the views of each."""


# --- it holds nothing hidden ------------------------------------------------------------------------------------------
FORBIDDEN = (
    DealInProgress,
    big_two.PythonLoop,
    big_three.PythonLoop,
    ViewMaker,
    big_two.Match,
    np.void,
    np.random.Generator,
)


def check_reaches_no_engine(*news: Any) -> None:
    """Raise AssertionError where a deal, a loop or a random stream can be reached, through classes too."""
    for thing in reachable(*news, classes=True):
        assert not isinstance(thing, FORBIDDEN), f"{thing!r:.100} can be reached"


def check_knows_only(news: Any, known: int) -> None:
    """Raise AssertionError unless all that can be reached from `news` tells of no cards beyond `known`, nor of seeds.

    Every number in it is small or accounted for: the bits of cards that the seat knows, the strength of a play made of
    them, or the seat's own seed.
    """
    found = reachable(news)
    sets = [thing for thing in found if isinstance(thing, CardSet)]
    accounted = {cards.bits for cards in sets} | {thing.strength for thing in found if isinstance(thing, BasePlay)}
    accounted |= {thing.stream_seed for thing in found if isinstance(thing, BaseView)}
    for cards in sets:
        assert not cards.bits & ~known, f"{cards - CardSet(known & cards.bits, cards.deck)} is known"
    for thing in found:
        if isinstance(thing, int | np.integer):
            assert abs(int(thing)) < SMALL or thing in accounted, f"{thing} is known"
        assert not isinstance(thing, np.ndarray | bytearray | memoryview), "raw memory is known"


def known_to(seat: int, dealt: Any, log: Any, news: Any) -> int:
    """What a seat knows by then: its hand, of the soloist the kitty, and what was played."""
    bits: int = dealt[seat].bits
    if len(dealt) > seat + 1 and getattr(news, "soloist", None) == seat:
        bits |= dealt[-1].bits
    for _, cards in log[: len(news.log)]:
        bits |= cards.bits
    return bits


@pytest.mark.parametrize(("game", "rules"), GAMES)
def test_nothing_hidden_can_be_reached_from_what_is_shown(game: Any, rules: Any) -> None:
    shown: list[Shown] = []
    loop = loop_of(game, rules, *[Recorder(i, shown) for i in range(rules.players)])
    for _, dealt, log in play_deals(loop, 3):
        for one in shown:
            assert one.news.log == tuple(log)[: len(one.news.log)]
            check_knows_only(one.news, known_to(one.agent, dealt, log, one.news))
        check_reaches_no_engine(*[one.news for one in shown])
        assert {type(one.news).__name__ for one in shown} == {"View", "DealResult"}
        shown.clear()


@pytest.mark.parametrize(("game", "rules"), GAMES)
def test_nothing_hidden_can_be_reached_from_the_views_of_a_deal(game: Any, rules: Any) -> None:
    deal = game.Deal.new(rules, 3)
    while not deal.is_over:
        for seat in range(rules.players):
            view = deal.view(seat)
            dealt = (*deal.dealt, deal.dealt_kitty) if game is big_three else deal.dealt
            check_knows_only(view, known_to(seat, dealt, deal.log, view))
        check_reaches_no_engine(view)
        if getattr(deal, "in_auction", False):
            deal.make_bid(deal.legal_bids()[-1])
        elif deal.legal_plays():
            deal.play(deal.legal_plays()[0].cards)
        else:
            deal.pass_()


class Slotted:
    __slots__ = ("thing",)

    def __init__(self, thing: Any) -> None:
        self.thing = thing


@pytest.mark.parametrize(
    "hide",
    [
        lambda thing: {"a": [(thing,)]},
        lambda thing: lambda: thing,
        lambda thing: lambda given=thing: given,
        lambda thing: partial(print, thing),
        lambda thing: MappingProxyType({1: thing}),
        lambda thing: np.array([thing, None], object),
        lambda thing: Slotted(thing),
        lambda thing: Slotted(thing).__init__,  # type: ignore[misc]
        lambda thing: iter([thing]),
    ],
)
def test_what_is_hidden_in_a_view_is_found(hide: Callable[[Any], Any]) -> None:
    """The walk itself is put to the test: it finds a deal, and a hand, wherever they are put."""
    deal = big_two.Deal.new(big_two.Rules(), 3)
    known = deal.hands[deal.turn].bits
    view = deal.view()
    check_reaches_no_engine(view)
    vars(view)["planted"] = hide(deal)
    with pytest.raises(AssertionError, match="can be reached"):
        check_reaches_no_engine(view)
    vars(view)["planted"] = hide(deal.hands[deal.turn - 1])
    with pytest.raises(AssertionError, match="is known"):
        check_knows_only(view, known)
    view = deal.view()
    check_knows_only(view, known)
    vars(view)["planted"] = 2**40 + 1
    with pytest.raises(AssertionError, match="is known"):
        check_knows_only(view, known)


# --- programs ---------------------------------------------------------------------------------------------------------
FIELDS = {
    "new_deal": {"type", "seat", "hand", "leader", "left", "totals", "rules", "random"},
    "turn": {
        "type", "seat", "hand", "legal_plays", "may_pass", "table", "left", "played", "passed", "log", "totals",
        "random",
    },
    "result": {"type", "seat", "winner", "left", "points", "log"},
}  # fmt: skip
NAMES = {BIG_TWO_DECK.name(card): 1 << card for card in range(BIG_TWO_DECK.size)}


def test_a_bot_is_sent_nothing_hidden() -> None:
    """Every card, number and text of every message is what the seat may know."""
    rules = big_two.Rules()
    writer = Writer(rules)
    shown: list[Shown] = []
    loop = loop_of(big_two, rules, *[Recorder(i, shown) for i in range(4)])
    told = set()
    for _, dealt, log in play_deals(loop, 3):
        for one in shown:
            message = json.loads(_message(writer, one.news))
            told.add(message["type"])
            assert set(message) == FIELDS[message["type"]]
            assert message.pop("random", None) == (str(getattr(one.news, "stream_seed", "")) or None)
            assert message.pop("rules", None) in (None, json.loads(writer._rules_text))
            known = known_to(one.agent, dealt, log, one.news)
            for text in _leaves(message, "strength"):
                if isinstance(text, str) and text in NAMES:
                    assert NAMES[text] & known
                else:
                    assert text in {"new_deal", "turn", "result", None, *big_two.Kind} or abs(int(text)) < SMALL
        shown.clear()
    assert told == set(FIELDS)


def _message(writer: Writer, news: Any) -> str:
    if isinstance(news, big_two.DealResult):
        return writer.result(news)
    return writer.turn(news) if news.legal_plays or news.may_pass else writer.new_deal(news)


def _leaves(value: Any, left_out: str) -> Iterator[Any]:
    if isinstance(value, dict):
        for name, part in value.items():
            if name != left_out:
                yield from _leaves(part, left_out)
    elif isinstance(value, list):
        for part in value:
            yield from _leaves(part, left_out)
    else:
        yield value
