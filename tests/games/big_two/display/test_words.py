"""The rules in words: each switch changes them, in every language, and the facts they name are those of the rules."""

import random
import re
import tomllib
from pathlib import Path

import pytest
from rich.cells import cell_len

from bigtwo_sim.games.big_two import PRESETS, CardSet, Rules, classify
from bigtwo_sim.games.big_two.display import words
from bigtwo_sim.games.big_two.display.words import LANGUAGES, in_words
from bigtwo_sim.terminal.paragraphs import paragraph
from tests.cli.command_line import good, refused
from tests.reference import vectors
from tests.reference.big_two import settle

SEQUENCE = re.compile(r"(?:10|[2-9JQKA])(?:-(?:10|[2-9JQKA])){4}")
SECTIONS = ["aim", "cards", "begin", "small", "five", "trick", "last_card", "points", "match"]
LATIN_WORD = re.compile("[A-Za-z]{2}")
PLURALS = {
    "en": {1: "1 point,", 2: "2 points,", 11: "11 points,", 21: "21 points,", 50: "50 points,"},
    "de": {1: "1 Punkt ", 2: "2 Punkte ", 11: "11 Punkte ", 21: "21 Punkte ", 50: "50 Punkte "},
    "zh": {1: "1分", 2: "2分", 50: "50分"},
    "ru": {
        **{n: f"{n} очко," for n in (1, 21, 101, 1001, 999_991)},
        **{n: f"{n} очка," for n in (2, 3, 4, 22, 34, 102, 1_002)},
        **{n: f"{n} очков," for n in (5, 10, 11, 12, 13, 14, 15, 20, 25, 50, 100, 111, 112, 114, 1_000_000)},
    },
}


def texts(lang: str) -> dict[str, str | list[str]]:
    """The texts of a language by dotted key, as they stand in its file."""
    found = {}

    def collect(table, prefix):
        for key, value in table.items():
            if isinstance(value, dict):
                collect(value, f"{prefix}{key}.")
            else:
                found[prefix + key] = value

    path = Path(words.__file__).with_name(f"words_{lang}.toml")
    collect(tomllib.loads(path.read_text(encoding="utf-8")), "")
    return found


def told(rules: Rules, lang: str) -> str:
    return "\n".join(sentence for section in in_words(rules, lang) for sentence in section.sentences)


def sentences(rules: Rules, lang: str, section: str) -> tuple[str, ...]:
    return in_words(rules, lang)[SECTIONS.index(section)].sentences


def sequences(text: str) -> list[str]:
    return [found.replace("10", "T").replace("-", "") for found in SEQUENCE.findall(text)]


def random_rules(count: int) -> list[Rules]:
    chance = random.Random(7)
    return [Rules(**vars(vectors.random_rules(chance))) for _ in range(count)]


def every_value() -> list[Rules]:
    """Each preset with each value of each switch, and tiers of all kinds."""
    changed = [
        rules.replace(**{switch: value})
        for rules in PRESETS.values()
        for switch, values in vectors.SWITCHES.items()
        for value in values
    ]
    tiers = ("1:0 2:1 3:2 4:5 5-12:0 13:21", "1-5:0 6-13:5", "1:21 2-12:2 13:0", "1-13:0")
    return [*changed, *(Rules(penalty_tiers=text) for text in tiers), *random_rules(50)]


# --- complete -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_switch_never_changes_without_the_words(lang):
    for rules in PRESETS.values():
        for switch, values in vectors.SWITCHES.items():
            if switch == "straight_tie" and rules.straight_order == "charlesworth":
                continue  # where the 2 only ends a straight, both of its values say the same
            assert len({told(rules.replace(**{switch: value}), lang) for value in values}) == len(values), switch


@pytest.mark.parametrize("lang", LANGUAGES)
def test_different_house_rules_are_told_differently(lang):
    seen: dict[str, dict[str, str]] = {}
    for rules in random_rules(300):
        tie = "highest_card" if rules.straight_order == "charlesworth" else rules.straight_tie
        switches = {**rules.to_dict(), "name": "", "straight_tie": tie}
        assert seen.setdefault(told(rules, lang), switches) == switches


def test_all_languages_have_the_same_keys():
    def keys(lang):
        return {re.sub(r"\.(one|few|many|other)$", "", key) if key.startswith("count.") else key for key in texts(lang)}

    for lang in LANGUAGES:
        assert keys(lang) == keys("en"), lang


def test_all_languages_have_as_many_sentences():
    for rules in every_value():
        shapes = {tuple(len(section.sentences) for section in in_words(rules, lang)) for lang in LANGUAGES}
        assert len(shapes) == 1


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_text_is_said_somewhere(lang):
    said = "\n".join(
        {
            line
            for rules in every_value()
            for section in in_words(rules, lang)
            for line in (section.title, *section.sentences)
        }
    )
    for key, value in texts(lang).items():
        for text in [value] if isinstance(value, str) else value:
            pattern = ".*".join(re.escape(part) for part in re.split(r"\{.*?\}", text))
            assert re.search(pattern, said), key


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_line_is_a_sentence(lang):
    for rules in every_value():
        sections = in_words(rules, lang)
        assert len({section.title for section in sections}) == len(sections) == len(SECTIONS)
        for sentence in (sentence for section in sections for sentence in section.sentences):
            assert not re.search(r"[{}_]|  |\bNone\b", sentence)
            assert sentence.endswith("。" if lang == "zh" else ".")
            assert sentence[0] == sentence[0].upper()
            assert lang in ("en", "de") or not LATIN_WORD.search(sentence)


# --- right ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("order", vectors.SWITCHES["straight_order"])
def test_straights_are_those_of_the_rules(lang, order):
    rules = Rules(straight_order=order)
    line, none = sentences(rules, lang, "five")[2:4]
    named = sequences(line)
    places = [rules.straights.index(sequence) for sequence in named]
    assert places == sorted(places)
    assert (places[0], places[-1]) == (0, len(rules.straights) - 1)
    # What is left out stands between the two ends of the run that is told with "and so on".
    run = (rules.straights.index("34567"), rules.straights.index("TJQKA"))
    assert all(run[0] < place < run[1] for place in range(len(rules.straights)) if place not in places)
    round_the_corner = {"A2345", "23456", "JQKA2", "QKA23", "KA234"}
    assert {*sequences(none)} == round_the_corner - {*rules.straights}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_suits_and_the_example_of_pairs_follow_the_order_of_suits(lang):
    for order in vectors.SWITCHES["suit_order"]:
        rules = Rules(suit_order=order)
        _, suits, ends = sentences(rules, lang, "cards")
        signs = [rules.deck.name(suit, signs=True)[1] for suit in range(4)]
        assert re.findall("[♦♣♥♠]", suits) == signs
        assert re.findall(".[♦♣♥♠]", ends) == [f"3{signs[0]}", f"2{signs[3]}"]
        assert f"3{signs[0]}" in sentences(rules, lang, "begin")[0]
        pairs = re.findall("9[♦♣♥♠] 9[♦♣♥♠]", sentences(rules, lang, "small")[1])
        high, low = (classify(CardSet.parse(pair, rules.deck), rules) for pair in pairs)
        assert high.beats(low)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_example_of_points_is_settled_as_deals_are(lang):
    for rules in every_value():
        hands = ["", "3D 3C 3H 3S 4D", "4C 4H 4S 5D 5C 5H 5S 6D 6C " + ("2D" if rules.double_twos else "6H")]
        hands.append("7D 7C 7H 7S 8D 8C 8H 8S 9D 9C 9H 9S TD")
        points = settle([hand.split() for hand in hands], 0, rules)
        penalties = [-n for n in settle([h.split() for h in hands], 0, rules.replace(settlement="losers_debited"))[1:]]
        example, result = sentences(rules, lang, "points")[-2:]
        numbers = [int(n) for n in re.findall(r"\d+", example)]
        assert numbers[:3] == [5, 10, 13]
        assert numbers[-3:] == penalties
        shown = [int(n.replace("−", "-")) for n in re.findall(r"[+−]?\d+", result)]
        expected = {
            "winner_credited": points[:1],
            "losers_debited": [points[0], *penalties],
            "pairwise": points,
        }
        assert shown == expected[rules.settlement]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_tiers_name_every_count_of_cards(lang):
    rules = Rules(penalty_tiers="1:0 2:1 3:2 4-11:5 12-13:21")
    lines = sentences(rules, lang, "points")[1:6]
    numbers = [[int(n) for n in re.findall(r"\d+", line)] for line in lines]
    assert numbers == [[1], [2, 1], [3, 2], [4, 11, 5], [12, 13, 21]]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_five_card_plays_are_listed_if_they_exist(lang):
    names = {key: str(value) for key, value in texts(lang).items() if key.startswith("kind.")}
    for flush in vectors.SWITCHES["flush"]:
        for four in vectors.SWITCHES["four_card_plays"]:
            line = sentences(Rules(flush=flush, four_card_plays=four), lang, "five")[0]
            expected = ["straight", "full_house", "straight_flush"]
            if flush != "none":
                expected.insert(1, "flush")
            if four == "none":
                expected.insert(-1, "four_of_a_kind")
            listed = [names[f"kind.{kind}"] for kind in expected]
            start, last = (str(texts(lang)[f"list.{key}"]) for key in ("between", "last"))
            assert start.join(listed[:-1]) + last + listed[-1] in line


# --- well formed ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("lang", LANGUAGES)
def test_words_take_the_form_of_their_number(lang):
    for target, phrase in PLURALS[lang].items():
        assert phrase in sentences(Rules(match_target=target), lang, "match")[0]


@pytest.mark.parametrize(
    ("lang", "expected"),
    [
        ("en", ["1 card left: 1 point for each.", "2 cards left: 2 points for each."]),
        ("de", ["1 Karte übrig: je Karte 1 Punkt.", "2 Karten übrig: je Karte 2 Punkte."]),
        ("zh", ["剩1张：每张1分。", "剩2张：每张2分。"]),
        ("ru", ["Осталась 1 карта: по 1 очку за каждую.", "Осталось 2 карты: по 2 очка за каждую."]),
    ],
)
def test_cards_left_take_the_form_of_their_number(lang, expected):
    assert list(sentences(Rules(penalty_tiers="1:1 2:2 3-13:5"), lang, "points")[1:3]) == expected


def test_what_is_no_language_or_no_rules_is_told():
    with pytest.raises(ValueError, match="lang is 'fr'; it must be one of en, de, zh, ru"):
        in_words(Rules(), "fr")
    with pytest.raises(TypeError, match="'singapore' are no Rules"):
        in_words("singapore")  # type: ignore[arg-type]


# --- the command ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("columns", [40, 100])
def test_the_command_tells_the_same_within_the_line(lang, columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    rules = PRESETS["taiwan"].replace(bombs=True)
    out = good("rules", "taiwan", "--set", "bombs=yes", "--words", "--lang", lang).out
    assert all(cell_len(line) <= columns for line in out.splitlines())
    assert not re.search(r"^\s*[，。、；：）—]", out, re.MULTILINE)
    squeezed = re.sub(r"\s", "", out)
    expected = [
        rules.name,
        *(line for section in in_words(rules, lang) for line in (section.title, *section.sentences)),
    ]
    assert squeezed == re.sub(r"\s", "", "".join(expected))


def test_the_command_gives_sections_as_json():
    answer = good("rules", "--words", "--lang", "ZH", "--set", "double_twos=yes", "--json").json
    rules = Rules().replace(double_twos=True)
    assert Rules.from_dict(answer["rules"]) == rules
    assert answer["lang"] == "zh"
    told_sections = [(section["title"], tuple(section["sentences"])) for section in answer["sections"]]
    assert told_sections == [(section.title, section.sentences) for section in in_words(rules, "zh")]


def test_the_command_speaks_english_unless_told():
    assert "The aim" in good("rules", "--words").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--words", "--lang", "fr"], "--lang is 'fr'; it must be one of en, de, zh, ru"),
        (["--lang", "de"], "--lang is 'de'; it is the language of --words, which must be given too"),
        (["--words", "--house"], "--words and --house are both given; only one of them may be"),
        (["--words", "--set", "bombs=perhaps"], "bombs is 'perhaps'; it must be yes or no"),
    ],
)
def test_the_command_says_what_must_hold(arguments, message):
    assert message in refused("rules", *arguments)


def test_a_paragraph_goes_beyond_the_line_only_with_a_word_that_is_longer():
    assert paragraph("one three 1234567890 two", 8, "  ", "    ").splitlines() == [
        "  one",
        "    three",
        "    1234567890",
        "    two",
    ]


def test_a_paragraph_keeps_together_what_belongs_together():
    assert paragraph("先出牌（的人）必须，出牌。", 8).splitlines() == ["先出牌", "（的人）", "必须，出", "牌。"]
    assert paragraph("a ♦ diamonds — b", 12).splitlines() == ["a", "♦ diamonds —", "b"]
