"""Deals to be drawn, and what their pictures hold, read back without the code that drew them."""

import json
import random
from html.parser import HTMLParser
from typing import Any

from bigtwo_sim.games.big_two import CardSet, Deal, Picture, Rules

VOID = {"meta", "link", "br", "input"}


def played(rules: Rules, seed: int = 0, turns: int = 1000) -> Deal:
    """A deal between players who answer at random, often with the strongest play; over, or after so many turns."""
    deal = Deal.new(rules, seed)
    chance = random.Random(seed)
    while not deal.is_over and len(deal.log) < turns:
        plays = deal.legal_plays()
        if plays and (not deal.may_pass or chance.random() < 0.7):
            deal.play(chance.choice([plays[0], plays[-1], *plays[-3:]]).cards)
        else:
            deal.pass_()
    return deal


def drawn(picture: Picture) -> dict[str, Any]:
    """The values that the script of a picture draws."""
    start = picture.fragment.index("drawDeal(host, {") + len("drawDeal(host, ")
    values, _ = json.JSONDecoder().raw_decode(picture.fragment[start:])
    return dict(values)


def cards_of(rules: Rules, numbers: list[int]) -> CardSet:
    return CardSet(sum(1 << number for number in numbers), rules.deck)


class Outline(HTMLParser):
    """Reads HTML strictly: every element is closed in its place; gathers attributes, and texts of cells."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.rows: list[list[str]] = []
        self.feed(text)
        self.close()
        assert not self.open, f"{self.open} stay open"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        if tag == "td":
            self.rows[-1].append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> is not in its place"

    def handle_data(self, data: str) -> None:
        if "td" in self.open:
            self.rows[-1][-1] += data
