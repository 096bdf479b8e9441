"""The rules in words: plain sentences for players, chosen by the switches, in several languages.

What is said lies in one file a language beside this one (`words_en.toml` and so on), a key for each value of a switch;
which sentences a set of rules needs, and in which order, is decided here, for all languages alike.
"""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from bigtwo_sim.core.cards import SIGNS
from bigtwo_sim.games.big_two.rules import Flush, FourCardPlays, Opener, Passing, Rules

LANGUAGES = {"en": "English", "de": "Deutsch", "zh": "中文", "ru": "Русский"}
"""The languages by code, each by its own name."""

_ROUND = "A23456789TJQKA234"  # every five neighbours of it look like a straight
_STRAIGHT_SIZE = 5
_EXAMPLE_LEFT = (5, 10, 13)  # cards left in the hands of the example, which pay by different tiers where there are some
_EXAMPLE_TWOS = (0, 1, 0)  # how many of them are 2s, where that matters


@dataclass(frozen=True)
class Section:
    """A part of the rules: its title, and the sentences that belong to it, in order."""

    title: str
    sentences: tuple[str, ...]


def in_words(rules: Rules, lang: str = "en") -> list[Section]:
    """The rules for players, in sections of plain sentences; `lang` is one of LANGUAGES.

    Raises TypeError for what are no rules, ValueError, which lists the languages, for any other.

    >>> [section.title for section in in_words(Rules())][:3]
    ['The aim', 'The cards', 'Who begins']
    >>> in_words(Rules(suit_order="CDHS"))[1].sentences[-1]
    'So the lowest card of all is the 3♣, and the highest is the 2♠.'
    """
    if not isinstance(rules, Rules):
        raise TypeError(f"{rules!r:.60} are no Rules; make them with Rules() or preset(name)")
    if lang not in LANGUAGES:
        raise ValueError(f"lang is {lang!r:.60}; it must be one of {', '.join(LANGUAGES)}")
    return _render(rules, _texts(lang))


# --- which sentences --------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Said:
    """A key of the texts, and the values that only it needs."""

    key: str
    values: Mapping[str, int | str] = field(default_factory=dict)


def _outline(rules: Rules) -> dict[str, list[str | _Said]]:
    """The keys of what is said, by section."""

    def chosen(switch: str) -> str:
        return f"{switch}.{rules.value_text(switch)}"

    fifth_card = rules.four_card_plays == FourCardPlays.NONE
    bombs = rules.value_text("bombs")
    outline: dict[str, list[str | _Said]] = {
        "aim": ["aim.deal", "aim.win"],
        "cards": ["cards.ranks", "cards.suits", "cards.ends"],
        "begin": [chosen("opener"), chosen("opening_play")],
        "small": ["small.single", "small.pair", chosen("triples"), chosen("four_card_plays")],
        "five": ["five.kinds", "five.straight", chosen("straight_order"), "five.no_straight", _straight_tie(rules)],
        "trick": ["trick.lead", f"trick.answer.bombs_{bombs}", f"trick.pass.last_card_{rules.value_text('last_card')}"],
        "last_card": [chosen("last_card")],
        "points": ["points.penalty", *_tiers(rules), chosen("double_twos"), chosen("settlement"), *_example(rules)],
        "match": ["match.none" if rules.match_target is None else "match.target"],
    }
    if rules.opener == Opener.FIRST_DEAL:
        outline["begin"].append("begin.later")
    outline["five"] += [
        chosen("flush"),
        "five.full_house",
        "five.four_of_a_kind" if fifth_card else "five.no_fifth_card",
        "five.straight_flush",
        "five.most",
    ]
    outline["trick"].append(chosen("passing"))
    if rules.last_card:
        outline["last_card"].append(f"last_card.must_beat.bombs_{bombs}")
        if rules.passing == Passing.LOCKED_OUT:
            outline["last_card"].append("last_card.out")
    if rules.bombs:
        outline["trick"] += ["bombs.which_with_fifth_card" if fifth_card else "bombs.which", "bombs.order"]
    return outline


def _straight_tie(rules: Rules) -> str:
    # Only where a 2 begins or nearly begins a straight is its highest card not the one that ends it.
    differs = any("2" in sequence[:-1] for sequence in rules.straights)
    return f"straight_tie.{rules.straight_tie}" if differs else "straight_tie.no_difference"


def _tiers(rules: Rules) -> Iterable[_Said]:
    for factor, group in itertools.groupby(enumerate(rules.penalty_tiers, start=1), key=lambda tier: tier[1]):
        cards = [count for count, _ in group]
        if len(cards) == len(rules.penalty_tiers):
            reach = "all"
        else:
            reach = "one" if len(cards) == 1 else "range"
        values = {"first": cards[0], "last": cards[-1], "factor": factor}
        yield _Said(f"tiers.{reach}" if factor else f"tiers.{reach}_free", values)


def _example(rules: Rules) -> Iterable[_Said]:
    """A deal settled. It is reckoned here, so that words need no compiled code; a test compares it with `scoring`."""
    penalties = [
        left * rules.penalty_tiers[left - 1] << (twos if rules.double_twos else 0)
        for left, twos in zip(_EXAMPLE_LEFT, _EXAMPLE_TWOS, strict=True)
    ]
    total = sum(penalties)
    values: dict[str, int | str] = {"total": total}
    for number, (left, penalty) in enumerate(zip(_EXAMPLE_LEFT, penalties, strict=True), start=1):
        values[f"left{number}"] = left
        values[f"penalty{number}"] = penalty
        values[f"net{number}"] = _signed(total - 4 * penalty)
    yield _Said("example.twos" if rules.double_twos else "example.plain", values)
    yield _Said(f"example.{rules.settlement}", values)


def _signed(points: int) -> str:
    return f"+{points}" if points > 0 else f"−{-points}" if points else "0"


# --- in a language ----------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Texts:
    """The texts of a language by dotted key, and which form of a word goes with a number."""

    lines: dict[str, str | list[str]]
    form: Callable[[int], str]

    def line(self, key: str) -> str:
        text = self.lines[key]
        assert isinstance(text, str), key
        return text

    def sentences(self, key: str) -> list[str]:
        text = self.lines[key]
        return [text] if isinstance(text, str) else text

    def listed(self, items: Sequence[str]) -> str:
        """`a, b and c`."""
        if len(items) == 1:
            return items[0]
        return self.line("list.between").join(items[:-1]) + self.line("list.last") + items[-1]


class _Number:
    """A number in a sentence: `{n}` is its digits, `{n:cards}` the phrase `count.cards` in the form that it takes."""

    def __init__(self, number: int, texts: _Texts) -> None:
        self._number, self._texts = number, texts

    def __format__(self, phrase: str) -> str:
        digits = str(self._number)
        if not phrase:
            return digits
        return self._texts.line(f"count.{phrase}.{self._texts.form(self._number)}").format(n=digits)


def _one_or_other(n: int) -> str:
    return "one" if n == 1 else "other"


def _russian(n: int) -> str:
    """1, 21, 101 (not 11): one; 2 to 4, 22 (not 12 to 14): few; all others: many."""
    if n % 10 == 1 and n % 100 != 11:
        return "one"
    return "few" if n % 10 in (2, 3, 4) and n % 100 not in (12, 13, 14) else "many"


_FORMS: dict[str, Callable[[int], str]] = {
    "en": _one_or_other,
    "de": _one_or_other,
    "zh": lambda n: "other",
    "ru": _russian,
}


@cache
def _texts(lang: str) -> _Texts:
    path = Path(__file__).with_name(f"words_{lang}.toml")
    return _Texts(dict(_flat(tomllib.loads(path.read_text(encoding="utf-8")), "")), _FORMS[lang])


def _flat(table: dict[str, Any], prefix: str) -> Iterable[tuple[str, str | list[str]]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def _values(rules: Rules, texts: _Texts) -> dict[str, Any]:
    """What the sentences may name in braces."""
    deck = rules.deck
    nines = [f"9{SIGNS[suit]}" for suit in deck.suits]
    kinds = ["straight", "flush", "full_house", "four_of_a_kind", "straight_flush"]
    if rules.flush == Flush.NONE:
        kinds.remove("flush")
    if rules.four_card_plays != FourCardPlays.NONE:
        kinds.remove("four_of_a_kind")
    looks = [_ROUND[i : i + _STRAIGHT_SIZE] for i in range(len(_ROUND) - _STRAIGHT_SIZE + 1)]
    return {
        "lowest": deck.name(0, signs=True),
        "highest": deck.name(deck.size - 1, signs=True),
        "high_pair": f"{nines[3]} {nines[0]}",
        "low_pair": f"{nines[2]} {nines[1]}",
        "suits": texts.listed([texts.line(f"suit.{suit}") for suit in rules.suit_order]),
        "kinds": texts.listed([texts.line(f"kind.{kind}") for kind in kinds]),
        "no_straights": texts.listed(
            ["-".join(look).replace("T", "10") for look in looks if look not in rules.straights]
        ),
        "target": _Number(rules.match_target or 0, texts),
    }


def _render(rules: Rules, texts: _Texts) -> list[Section]:
    common = _values(rules, texts)
    sections = []
    for section, keys in _outline(rules).items():
        sentences: list[str] = []
        for said in (_Said(key) if isinstance(key, str) else key for key in keys):
            own = {
                name: _Number(value, texts) if isinstance(value, int) else value for name, value in said.values.items()
            }
            sentences += [sentence.format(**common, **own) for sentence in texts.sentences(said.key)]
        sections.append(Section(texts.line(f"title.{section}"), tuple(sentences)))
    return sections
