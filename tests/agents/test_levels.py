"""The levels: easy looks like a beginner and not like chance, and the knobs change nothing while they are zero."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bigtwo_agents.big_two import beginner, heuristic, monte_carlo
from bigtwo_agents.big_two.analysis import Position

from bigtwo_sim.core.kernel import U64
from bigtwo_sim.core.rng import bell, new_stream, root_key
from bigtwo_sim.games.big_two import AgentError, CardSet, Deal, Method, PolicyAgent, Rules, check_agent, classify
from bigtwo_sim.roster.level import Level
from bigtwo_sim.roster.level_file import Level as LevelOfFile
from bigtwo_sim.roster.level_file import level_file
from bigtwo_sim.roster.spec import parse_agent
from tests import ROOT
from tests.games.big_two.decisions import answer, take
from tests.games.big_two.sides import amount
from tests.tools.lanes import mostly_swept

pytestmark = pytest.mark.kernel

EASY = beginner.METHOD
REFERENCE = ROOT / "results" / "reference"


def turns_of(method: Method, rules: Rules, deals: int) -> Iterator[tuple[Deal, CardSet]]:
    """Every decision of four players of a kind, with what is laid there; no cards: a pass."""
    for index in range(deals):
        deal = Deal.new(rules, 8, index)
        turn = 0
        while not deal.is_over:
            cards = answer(method, deal, seed=1000 * index + turn)
            if deal.has_choice:
                yield deal, cards
            take(deal, cards)
            turn += 1


@pytest.fixture(scope="module", params=mostly_swept(["singapore", "taiwan", "charlesworth"], "singapore"))
def turns(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    """Some thousand decisions of easy, as plain values."""
    rules = Rules.from_dict({"preset": request.param})
    found = []
    for deal, cards in turns_of(EASY, rules, amount(100, 4)):
        hand = deal.hands[deal.turn]
        found.append(
            {
                "deck": rules.deck,
                "hand": hand,
                "laid": cards,
                "table": deal.play_to_beat,
                "plays": [play.cards for play in deal.legal_plays()],
                "others": [left for seat, left in enumerate(deal.left) if seat != deal.turn],
                "unseen": deal.view().unseen,
                "may_pass": deal.may_pass,
                "next": deal.left[(deal.turn + 1) % 4],
                "rest_is_a_play": classify(hand - cards, rules) is not None,
            }
        )
    assert len(found) > amount(1500, 50)
    return found


def rank(card: CardSet) -> int:
    return (card.bits.bit_length() - 1) // 4


def cards_of_rank(hand: CardSet, number: int) -> int:
    return sum(rank(card) == number for card in hand)


def test_easy_goes_out_whenever_it_can(turns: list[dict[str, Any]]) -> None:
    can = [turn for turn in turns if turn["hand"] in turn["plays"]]
    assert len(can) > amount(40, 1)
    for turn in can:
        assert turn["laid"] == turn["hand"]


def test_easy_lays_the_highest_card_of_all_before_its_last_one(turns: list[dict[str, Any]]) -> None:
    found = 0
    for turn in turns:
        hand = list(turn["hand"])
        if len(hand) == 2 and turn["hand"] not in turn["plays"] and hand[1] in turn["plays"]:
            highest = max(card.bits for card in turn["unseen"])
            found += hand[1].bits > highest
            assert hand[1].bits < highest or turn["laid"].bits > highest
    assert found > amount(3, -1)


def test_easy_never_spends_a_2_for_no_reason(turns: list[dict[str, Any]]) -> None:
    kept = 0
    for turn in turns:
        if len(turn["hand"]) <= 5 or min(turn["others"]) <= 3 or turn["laid"] == turn["hand"]:
            continue
        if turn["rest_is_a_play"]:  # a 2 that nobody beats and one play more: it goes out
            continue
        two, king = 12, 10
        spent = [card for card in turn["laid"] if rank(card) == two]
        if turn["table"] is None:
            assert not spent or all(rank(card) == two for card in turn["hand"])
        elif rank(list(turn["table"].cards)[-1]) < king and turn["may_pass"]:
            assert not spent, (str(turn["laid"]), str(turn["table"]))
            kept += any(rank(card) == two for play in turn["plays"] for card in play)
    assert kept > amount(100, 2)


def test_easy_leads_its_lowest_card(turns: list[dict[str, Any]]) -> None:
    leads = [turn for turn in turns if turn["table"] is None and turn["laid"] != turn["hand"]]
    assert len(leads) > amount(200, 8)
    lowest = [next(iter(turn["hand"])) <= turn["laid"] for turn in leads]
    # Not so only where one play more wins, or where the next player's last card lets no low single be led.
    for turn, low in zip(leads, lowest, strict=True):
        assert low or len(turn["hand"]) - len(turn["laid"]) <= 5 or turn["next"] == 1
    assert 10 * np.mean(lowest) > amount(9, 7)  # of few leads a smaller share


@pytest.mark.compiled
def test_easy_makes_the_mistakes_of_a_beginner(turns: list[dict[str, Any]]) -> None:
    could_answer = [
        turn
        for turn in turns
        if turn["table"] is not None and len(turn["table"].cards) <= 2 and turn["may_pass"] and len(turn["hand"]) > 5
        if any(not any(rank(card) == 12 for card in play) for play in turn["plays"])
    ]
    passed = np.mean([not turn["laid"] for turn in could_answer])
    assert 0.12 < passed < 0.28  # `timid` is 0.2
    fives = [
        turn
        for turn in turns
        if turn["table"] is None
        and any(
            len(play) == 5 and next(iter(turn["hand"])) <= play and max(map(rank, play)) < 12 for play in turn["plays"]
        )
    ]
    missed = np.mean([len(turn["laid"]) < 5 for turn in fives])
    assert 0.45 < missed < 0.85  # overlooked half of the time, or not looked for
    singles = [turn for turn in turns if len(turn["laid"]) == 1 and len(turn["hand"]) > 5]
    torn = np.mean([cards_of_rank(turn["hand"], rank(turn["laid"])) > 1 for turn in singles])
    assert 0.05 < torn < 0.5


def test_without_its_mistakes_a_beginner_makes_none() -> None:
    careful = Method("careful", EASY.function, parameters=EASY.parameters)
    settings = {"overlooks": 0, "tears": 0, "timid": 0}
    for deal, _ in turns_of(careful, Rules(), amount(15, 1)):
        cards = answer(EASY, deal, settings)
        if deal.play_to_beat is not None and len(deal.play_to_beat.cards) == 1 and len(cards) == 1:
            hand = deal.hands[deal.turn]
            alone = [
                play.cards
                for play in deal.legal_plays()
                if cards_of_rank(hand, rank(play.cards)) == 1
                if rank(play.cards) < 12
            ]
            assert not alone or cards_of_rank(hand, rank(cards)) == 1 or len(hand) <= 10
        for other in range(3):
            assert answer(EASY, deal, settings, other) == cards  # nothing is left to chance


# --- knobs ------------------------------------------------------------------------------------------------------------
def choice(method: Method, deal: Deal, settings: dict[str, float], stream: Any) -> int:
    plays, strengths = deal._buffers
    params = method.params(settings)
    hand = U64(deal.hands[deal.turn].bits)
    return int(method.function(hand, deal._public, plays, strengths, deal._count, params, stream))


@pytest.mark.parametrize("method", [heuristic.METHOD, monte_carlo.METHOD], ids=["heuristic", "monte_carlo"])
def test_blunder_does_what_a_beginner_does(method: Method) -> None:
    quick = {"worlds": 2} if method is monte_carlo.METHOD else {}
    differ = 0
    for turn, (deal, _) in enumerate(turns_of(heuristic.METHOD, Rules(), amount(12, 1))):
        streams = [new_stream(root_key(turn), 0, 1) for _ in range(2)]
        always = choice(method, deal, {**quick, "blunder": 1}, streams[0])
        from bigtwo_sim.core.rng import unit

        unit(streams[1])  # the draw that decides
        assert always == choice(EASY, deal, {}, streams[1])
        assert streams[0].tolist() == streams[1].tolist()
        differ += always != choice(method, deal, quick, new_stream(root_key(turn), 0, 1))
    assert differ > amount(50, 3)


def test_knobs_at_zero_draw_nothing_and_more_of_them_changes_more_choices() -> None:
    changed = dict.fromkeys([("noise", 1.0), ("noise", 10.0), ("blunder", 0.2), ("blunder", 0.8)], 0)
    for turn, (deal, _) in enumerate(turns_of(heuristic.METHOD, Rules(), amount(25, 2))):
        untouched = new_stream(root_key(turn), 0, 1)
        plain = choice(heuristic.METHOD, deal, {}, untouched)
        assert untouched.tolist() == new_stream(root_key(turn), 0, 1).tolist()
        for knob, value in changed:
            stream = new_stream(root_key(turn), 0, 1)
            changed[knob, value] += choice(heuristic.METHOD, deal, {knob: value}, stream) != plain
            assert stream.tolist() != untouched.tolist()
    assert 0 < changed["noise", 1.0] < changed["noise", 10.0]
    assert 0 < changed["blunder", 0.2] < changed["blunder", 0.8]


@pytest.mark.compiled
def test_noise_of_monte_carlo_misjudges_options_but_no_certain_finish() -> None:
    changed = {3.0: 0, 300.0: 0}
    for turn, (deal, _) in enumerate(turns_of(heuristic.METHOD, Rules(), 12)):
        hand = deal.hands[deal.turn]
        certain = Position(deal.view()).certain
        assert all(certain[i] for i, play in enumerate(deal.legal_plays()) if play.cards == hand)
        plain = choice(monte_carlo.METHOD, deal, {"worlds": 64}, new_stream(root_key(turn), 0, 1))
        for noise in changed:
            found = choice(monte_carlo.METHOD, deal, {"worlds": 64, "noise": noise}, new_stream(root_key(turn), 0, 1))
            changed[noise] += found != plain
            assert certain[found] or not certain.any()
    assert 0 < changed[3.0] < changed[300.0]


@pytest.mark.compiled
@pytest.mark.parametrize(
    "agent", ["easy", "normal", "heuristic:blunder=0.5,noise=3", "monte_carlo:worlds=3,blunder=0.3,noise=5"]
)
def test_levels_and_knobs_pass_the_check(agent: str) -> None:
    seated = parse_agent(agent)
    assert isinstance(seated, PolicyAgent)
    assert check_agent(seated, deals=3) > 300


def test_a_bell_has_mean_0_and_deviation_1() -> None:
    stream = new_stream(root_key(3), 0, 0)
    draws = np.array([bell(stream) for _ in range(amount(20_000, 2_000))])
    error = 4 / np.sqrt(len(draws))
    assert abs(draws.mean()) < error
    assert abs(draws.std() - 1) < error
    assert abs(np.mean(np.abs(draws) < 1) - 0.683) < error
    assert abs(np.mean(np.abs(draws) < 2) - 0.954) < error


# --- at a table with people -------------------------------------------------------------------------------------------
def test_a_level_answers_views_as_it_plays() -> None:
    seated = Level("normal")
    for deal, cards in turns_of(heuristic.METHOD, Rules(), amount(4, 1)):
        assert seated.choose(deal.view()) == cards


@pytest.mark.compiled
def test_a_seated_level_passes_the_check() -> None:
    assert check_agent(lambda: Level("easy"), deals=2) > 200
    with pytest.raises(AgentError, match="is not compiled; it can be seated as it is"):
        Level("python_agents:Weakest")


# --- level files ------------------------------------------------------------------------------------------------------
def written(path: Path, content: Any) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_a_level_file_is_seated_under_the_level_s_name_or_another(tmp_path: Path) -> None:
    level = LevelOfFile("quick", "monte_carlo", {"worlds": 7, "noise": 2.5}, "at once")
    path = written(tmp_path / "one level, of mine.json", level_file(level, made_by="hand"))
    agent = parse_agent(f"level:{path}")
    assert isinstance(agent, PolicyAgent)
    assert (agent.name, agent.method.name) == ("quick", "monte_carlo")
    assert agent.params.tolist() == monte_carlo.METHOD.params({"worlds": 7, "noise": 2.5}).tolist()
    assert parse_agent(f"mine=level:{path}").name == "mine"
    assert json.loads(path.read_text())["made_by"] == "hand"
    both = written(tmp_path / "two.json", level_file(level, LevelOfFile("slow", "monte_carlo", {"worlds": 900}, "")))
    assert parse_agent(f"level:{both}#slow").name == "slow"
    with pytest.raises(AgentError, match=r"2 levels are there; name one of quick, slow, as in level:.*two.json#quick"):
        parse_agent(f"level:{both}")
    with pytest.raises(AgentError, match=r"there is no level 'fast'; name one of quick, slow"):
        parse_agent(f"level:{both}#fast")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "is not a level file: it is not JSON"),
        ([1], "is not a level file: the whole is [1]; it must be an object"),
        ({"format": 9}, "format is 9; it must be 1"),
        ({"format": 1}, "levels is missing"),
        ({"format": 1, "levels": {}}, "levels is {}; it must be of at least 1 entries"),
        ("[" * 100_000, "it is nested too deeply"),
        ('{"format": 1, "format": 1}', "an object has the name 'format' twice"),
        ('{"format": 1, "levels": {"a": {"method": "greedy", "settings": {"b": 1e999}}}}', "1e999 is too large"),
        ({"format": 1, "levels": {"a": {"method": "greedy", "settings": {"b": 10**400}}}}, "it must be a number"),
        ({"format": 1, "levels": {"a": 3}}, "levels.a is 3; it must be an object"),
        ({"format": 1, "levels": {"a": {}}}, "levels.a.method is missing"),
        ({"format": 1, "levels": {"a": {"method": "x"}}}, "level.json: the level 'a': there is no agent 'x'"),
        (
            {"format": 1, "levels": {"a": {"method": "greedy", "settings": 1}}},
            "levels.a.settings is 1; it must be an object",
        ),
        ({"format": 1, "levels": {"a": {"method": "greedy", "settings": {"b": "c"}}}}, "b is 'c'; it must be a number"),
        (
            {"format": 1, "levels": {"a": {"method": "greedy", "settings": {"b": 1}}}},
            "level.json: the level 'a': greedy has no setting 'b'",
        ),
        (
            {"format": 1, "levels": {"a": {"method": "monte_carlo", "settings": {"worlds": 2.5}}}},
            "level.json: the level 'a': monte_carlo: worlds is 2.5; it must be a whole number from 1",
        ),
        (
            {"format": 1, "levels": {"a": {"method": "heuristic", "settings": {"blunder": 2}}}},
            "level.json: the level 'a': heuristic: blunder is 2; it must be from 0 to 1",
        ),
    ],
)
def test_what_is_no_level_file_is_told(tmp_path: Path, content: Any, said: str) -> None:
    path = written(tmp_path / "level.json", content)
    with pytest.raises(AgentError) as error:
        parse_agent(f"level:{path}")
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_mark_at_the_beginning_of_a_level_file_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "level.json"
    path.write_text(json.dumps(level_file(LevelOfFile("mine", "heuristic", {"noise": 1}, ""))), encoding="utf-8-sig")
    assert parse_agent(f"level:{path}").name == "mine"


@pytest.mark.parametrize("text", ["level:", "mine=level:", "level: ", "level:#mine"])
def test_a_level_of_no_file_is_told(text: str) -> None:
    with pytest.raises(AgentError, match=r"names no file; a level of a file is level:FILE or level:FILE#NAME"):
        parse_agent(text)


def test_a_level_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match="No such file or directory; it must be a level file"):
        parse_agent(f"level:{tmp_path / 'none.json'}")
