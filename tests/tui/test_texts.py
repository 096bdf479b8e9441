"""What `bigtwo play` says and shows: complete in each language, in few columns, in colours that all can tell apart."""

import itertools
import re
import string
from collections.abc import Sequence

import numpy as np
import pytest

from bigtwo_sim.cli.commands import play
from bigtwo_sim.games.big_two import PRESETS, CardSet, Deal, Kind, Rules
from bigtwo_sim.games.big_two.deal import Why
from bigtwo_sim.games.big_two.display.words import LANGUAGES as WORDS_LANGUAGES
from bigtwo_sim.tui.drawing import card_art as faces
from bigtwo_sim.tui.drawing.verdict import verdict
from bigtwo_sim.tui.game import SPEEDS
from bigtwo_sim.tui.texts import LANGUAGES, PLURALS, Texts, read_texts

pytestmark = pytest.mark.drawing

languages = pytest.mark.parametrize("lang", LANGUAGES)


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_every_text_is_there_in_every_language_with_the_same_places() -> None:
    for key, by_language in read_texts().items():
        assert list(by_language) == list(LANGUAGES), key
        wanted: set[str] | None = None
        for lang, text in by_language.items():
            forms = [text] if isinstance(text, str) else text
            if isinstance(text, list):
                assert len(forms) == PLURALS[lang][0], (key, lang)
            for form in forms:
                found = places(form)
                assert wanted is None or found == wanted, (key, lang)
                wanted = found
                assert form == form.strip()
                assert form


def test_the_languages_and_speeds_are_those_of_the_command_and_of_the_rules() -> None:
    assert LANGUAGES == play.LANGUAGES
    assert set(LANGUAGES) == set(WORDS_LANGUAGES)
    assert tuple(SPEEDS) == play.SPEEDS


@pytest.mark.parametrize(
    ("lang", "n", "text"),
    [
        ("en", 1, "1 card"),
        ("en", 0, "0 cards"),
        ("de", 13, "13 Karten"),
        ("zh", 1, "1 张"),
        ("ru", 1, "1 карта"),
        ("ru", 3, "3 карты"),
        ("ru", 12, "12 карт"),
        ("ru", 21, "21 карта"),
    ],
)
def test_numbers_have_their_plural(lang: str, n: int, text: str) -> None:
    assert Texts(lang)("cards_left", n=n) == text


@pytest.mark.parametrize(("lang", "deal"), [("en", "deal"), ("de", "Runde"), ("zh", "局"), ("ru", "сдач")])
def test_a_deal_and_a_whole_game_have_names_of_their_own(lang: str, deal: str) -> None:
    texts = Texts(lang)
    for key in ("deal_n", "deal_won", "deal_won_you", "why_over", "enter_next_deal", "single_deals"):
        assert deal.lower() in texts(key, n=2, who="x").lower(), key
    for key in ("menu_new", "menu_leave", "resume", "enter_new_game", "match_won", "match", "unsaved"):
        assert deal.lower() not in texts(key, reason="x", who="x").lower(), key


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(KeyError, match="language is 'fr'; it must be one of en, de, zh, ru"):
        Texts("fr")


# --- what the chosen cards are ----------------------------------------------------------------------------------------
def table_of(rules: Rules, hands: Sequence[str], *turns: str) -> Deal:
    """A deal of these hands that seat 0 leads, after these turns (none: a pass)."""
    deal = Deal.from_hands(rules, [CardSet.parse(hand, rules.deck) for hand in hands], leader=0)
    for turn in turns:
        deal.play(turn) if turn else deal.pass_()
    return deal


def judged(deal: Deal, chosen: str, seat: int = 0, lang: str = "en") -> str:
    found = verdict(
        deal, seat, CardSet.parse(chosen, deal.rules.deck), Texts(lang), "ann bob cleo dan".split().__getitem__
    )
    return f"{found.mood}: {found.text}"


HANDS = "3D 4D 4C 5S 6C 7H 9S KD KC KH AS", "3C 8D 8C 2D 2S", "TD JD QD", "5D 6D 7D"


def test_it_is_said_what_the_chosen_cards_are_and_whether_they_can_be_laid() -> None:
    deal = table_of(PRESETS["singapore"], HANDS)
    assert judged(deal, "") == "ask: Your turn: choose cards"
    assert judged(deal, "4D 4C") == "good: pair: Enter lays it"
    assert judged(deal, "3D 4D 5S 6C 7H") == "good: straight: Enter lays it"
    assert judged(deal, "3D 4D") == "bad: 2 cards that are no play"
    assert judged(deal, "4D 4C", seat=1) == "wait: pair; it is the turn of ann"
    assert judged(deal, "", seat=2) == "wait: It is the turn of ann"
    after = table_of(PRESETS["singapore"], HANDS, "4D 4C", "8D 8C", "", "")
    assert judged(after, "KD") == "bad: single: 2 cards must be laid here, not 1 card"
    assert judged(after, "KD KC") == "good: pair: Enter lays it"
    assert judged(table_of(PRESETS["singapore"], HANDS, "5S", "2D", "", ""), "AS") == (
        "bad: single: too low to beat single 2♦"
    )
    assert judged(table_of(PRESETS["singapore"], HANDS, "AS", "2S", "", ""), "") == (
        "ask: Your turn: nothing you hold beats it. Enter passes"
    )
    assert judged(table_of(PRESETS["singapore"], ("3D", "4D", "5D", "6D")), "3D") == (
        "good: single: Enter lays it, and you win the deal!"
    )


def test_the_opening_and_the_last_card_are_explained() -> None:
    number = next(number for number in range(99) if Deal.new(PRESETS["singapore"], number).turn == 0)
    deal = Deal.new(PRESETS["singapore"], number)
    assert judged(deal, str(list(deal.hands[0])[-1])).endswith("single: the first play must hold 3♦")
    deal = Deal.new(PRESETS["charlesworth"], number)
    pair = next(
        str(play.cards) for play in Deal.from_hands(deal.rules, list(deal.hands), 0).legal_plays() if play.size == 2
    )
    assert judged(deal, pair) == "bad: pair: the first play must be 3♦ alone"
    last = table_of(PRESETS["singapore"].replace(last_card=True), ("3D 4D 9S", "8D", "5D 6D", "7D KD"))
    assert judged(last, "4D") == "bad: bob holds one card: a single must be your highest, 9♠"
    assert last.pass_refusal().why == Why.LEADER_MUST_PLAY  # type: ignore[union-attr]
    last.play("9S")
    assert last.pass_refusal() is None
    must = table_of(PRESETS["singapore"].replace(last_card=True), ("3D 4D 9S", "8D TD", "5D", "7D KD"), "9S")
    assert must.pass_refusal().why == Why.LAST_CARD_MUST_BEAT  # type: ignore[union-attr]


@languages
def test_every_refusal_and_every_kind_has_words(lang: str) -> None:
    texts = Texts(lang)
    values = dict.fromkeys(("kind", "size", "size_to_beat", "table", "card", "who"), "x")
    for why in Why:
        assert "x" in texts(f"why_{why}", n=2, **values) or not places(str(read_texts()[f"why_{why}"]["en"])) - {"n"}
    assert len({texts(kind) for kind in Kind}) == len(Kind)


# --- colours ----------------------------------------------------------------------------------------------------------
# How three kinds of colour blindness see linear light: Machado, Oliveira and Fernandes (IEEE Transactions on
# Visualization and Computer Graphics 15, 2009), severity 1.
SEEN_BY = {
    "most people": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def linear(colour: str) -> np.ndarray:
    assert re.fullmatch("#[0-9a-f]{6}", colour)
    value = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def lab(light: np.ndarray) -> np.ndarray:
    """CIE L*a*b* of linear sRGB light, D65."""
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = np.array(to_xyz) @ np.clip(light, 0, 1) / [0.9505, 1.0, 1.089]
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2.1, 1 to 21."""
    low, high = sorted(float(np.dot([0.2126, 0.7152, 0.0722], linear(colour))) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colours", [faces.ON_CARD, faces.ON_TABLE], ids=["on cards", "on the table"])
@pytest.mark.parametrize("people", SEEN_BY)
def test_suits_are_told_apart_by_their_colours(people: str, colours: dict[str, str]) -> None:
    for one, other in itertools.combinations(colours.values(), 2):
        seen = [lab(np.array(SEEN_BY[people]) @ linear(colour)) for colour in (one, other)]
        assert np.linalg.norm(seen[0] - seen[1]) > 20, (one, other)  # 2.3 is just noticeable


def test_cards_can_be_read() -> None:
    for colour in faces.ON_CARD.values():
        assert contrast(colour, faces.CARD) >= 4.5
        assert contrast(colour, faces.CHOSEN_CARD) >= 3  # large and bold
    for colour in faces.ON_TABLE.values():
        assert contrast(colour, "#10251f") >= 4.5
