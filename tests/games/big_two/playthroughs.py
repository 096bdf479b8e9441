"""The text of the files in `data/playthroughs`: one whole deal a preset, readable without a legend.

A file is rendered from its deal and what was done in it, so it is checked by reading what was done, doing it again and
rendering the deal anew.
"""

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from bigtwo_sim.games.big_two import PRESETS, Deal, Play
from tests import DATA

FOLDER = DATA / "playthroughs"
HEAD = """# One deal under the rules {preset}, turn by turn.
# Shows: {shows}.
# tests/games/big_two/make_playthroughs.py writes this file, and only on purpose: a changed line is a changed rule.
"""
SHOWS, LAYS, PASSES = "# Shows: ", "    lays ", "passes"

Choice = Callable[[Deal], str]  # the cards to lay, as text; none: a pass


class Source(NamedTuple):
    """Where a deal comes from, and what it is there to show."""

    preset: str
    seed: int
    shows: str


def render(source: Source, choose: Choice) -> str:
    """The text of a deal, in which every turn is decided by `choose`."""
    rules = PRESETS[source.preset]
    deal = Deal.new(rules, source.seed)
    text = [*HEAD.format(preset=source.preset, shows=source.shows).splitlines(), ""]
    text += [f"rules: {source.preset}", f"seed: {source.seed}"]
    text += [f"seat {seat}: {hand}" for seat, hand in enumerate(deal.dealt)]
    trick = 0
    while not deal.is_over:
        if deal.play_to_beat is None:
            trick += 1
            bound = f" (opening play: {rules.opening_play})" if not deal.log else ""
            text += ["", f"Trick {trick}: seat {deal.turn} leads{bound}"]
        text += _turn(deal, choose)
    text += ["", f"Seat {deal.winner} is out after {len(deal.log)} turns."]
    for seat, (hand, points) in enumerate(zip(deal.hands, deal.points, strict=True)):
        text.append(f"seat {seat}: {points:+d} points, holds {hand or 'nothing'}")
    return "\n".join(text) + "\n"


def _turn(deal: Deal, choose: Choice) -> list[str]:
    """Do one turn and tell it."""
    seat, hand, table = deal.turn, deal.hands[deal.turn], deal.play_to_beat
    lines = [f"{len(deal.log) + 1:3}. seat {seat} holds {hand}"]
    options = _options(deal.legal_plays(), deal.may_pass)
    cards = choose(deal)
    if not cards:
        deal.pass_()
        return [*lines, f"    {options}: {PASSES}"]
    lines.append(f"    {options}")
    play = next(play for play in deal.legal_plays() if str(play.cards) == cards)
    deal.play(cards)
    over = f" on {table}" if table else ""
    return [*lines, f"{LAYS}{play}{over}, {deal.left[seat]} left"]


def _options(plays: list[Play], may_pass: bool) -> str:
    """How many plays of which kinds there are, and whether the seat may pass."""
    if not plays:
        return "no play"
    kinds = ", ".join(f"{kind.words} {count}" for kind, count in Counter(play.kind for play in plays).items())
    number = "1 play" if len(plays) == 1 else f"{len(plays)} plays"
    return f"{number} ({kinds}){' or a pass' if may_pass else ''}"


def read(text: str) -> tuple[Source, list[str]]:
    """What a file tells: where its deal comes from, and the cards laid in each turn (none for a pass)."""
    values = dict(line.split(": ", 1) for line in text.splitlines() if line.startswith(("rules: ", "seed: ")))
    shows = next(line for line in text.splitlines() if line.startswith(SHOWS)).removeprefix(SHOWS).rstrip(".")
    choices = []
    for line in text.splitlines():
        if line.startswith(LAYS):
            choices.append(line.removeprefix(LAYS).split(" (")[0])
        elif line.endswith(f": {PASSES}"):
            choices.append("")
    return Source(values["rules"], int(values["seed"]), shows), choices
