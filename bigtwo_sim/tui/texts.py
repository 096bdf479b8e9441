"""The texts of the table in each of its languages, read from `texts.toml`."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("texts.toml")
LANGUAGES = ("en", "de", "zh", "ru")


def _russian(n: int) -> int:
    if n % 10 == 1 and n % 100 != 11:
        return 0
    return 1 if n % 10 in (2, 3, 4) and n % 100 not in (12, 13, 14) else 2


def _one_or_many(n: int) -> int:
    return 0 if abs(n) == 1 else 1


PLURALS: dict[str, tuple[int, Callable[[int], int]]] = {
    "en": (2, _one_or_many),
    "de": (2, _one_or_many),
    "zh": (1, lambda n: 0),
    "ru": (3, _russian),
}
"""By language, how many plural forms it has, and which one belongs to a number."""


@functools.cache
def read_texts() -> Mapping[str, Mapping[str, str | list[str]]]:
    """All texts: by key, by language."""
    with FILE.open("rb") as file:
        return tomllib.load(file)


class Texts:
    """The texts of one language: `texts("cards_left", n=3)`. Raises KeyError for an unknown text or language."""

    def __init__(self, lang: str) -> None:
        self.lang = LANGUAGES[LANGUAGES.index(lang)] if lang in LANGUAGES else ""
        if not self.lang:
            raise KeyError(f"language is {lang!r}; it must be one of {', '.join(LANGUAGES)}")

    def __call__(self, key: str, **values: Any) -> str:
        text = read_texts()[key][self.lang]
        if isinstance(text, list):
            text = text[PLURALS[self.lang][1](int(values["n"]))]
        return text.format(**values) if values else text
