"""Write the files in `data/playthroughs`: one deal a preset, chosen because it shows what is special to the preset.

Run it on purpose only (`python -m tests.games.big_two.make_playthroughs [PRESET]`): a changed line is a changed rule.
Of many deals, played by chance with a liking for long plays, the one that shows most of what is wanted is taken.
"""

import random
import sys

from bigtwo_sim.games.big_two import PRESETS, Deal, Kind, Play, classify
from tests.games.big_two.playthroughs import FOLDER, Source, render

DEALS = 3_000

# What a deal can show, and what it should show under each preset; the first counts most.
WANTED = {
    "singapore": (
        "a straight with a 2 on one without",
        "a flush on a flush",
        "a return after a pass",
        "a penalty doubled or tripled",
        "an opening play of five",
    ),
    "pagat": (
        "a straight without a 2 on one with",
        "a flush on a flush",
        "a return after a pass",
        "an opening play of five",
        "a full house on a flush",
    ),
    "hong_kong": (
        "an ace to five on another straight",
        "a penalty doubled or tripled",
        "a flush on a straight",
        "a triple on a triple",
        "a return after a pass",
    ),
    "taiwan": (
        "a loser with a 2",
        "a straight with a 2 on one without",
        "a full house on a straight",
        "a penalty doubled or tripled",
        "a return after a pass",
    ),
    "charlesworth": (
        "two pairs on two pairs",
        "a straight with a 2 on one without",
        "four of a kind on two pairs",
        "a flush on a straight",
        "a return after a pass",
    ),
}


def liking(chance: random.Random, deal: Deal) -> str:
    """A play by chance: rather long, rather weak; and a pass now and then."""
    plays = deal.legal_plays()
    if not plays or (deal.may_pass and chance.random() < 0.3):
        return ""
    longest = [play for play in plays if play.size == plays[-1].size]
    chosen = longest if chance.random() < 0.7 else plays
    return str(chosen[int(len(chosen) * min(chance.random(), chance.random()))].cards)


def shown(deal: Deal) -> set[str]:
    """What a finished deal has shown."""
    found = set()
    table: Play | None = None
    passes = 0  # since the last play
    passed: set[int] = set()  # in this trick
    for turn, (seat, cards) in enumerate(deal.log):
        if not cards:
            passes += 1
            passed.add(seat)
            if passes == 3:
                table, passed = None, set()
            continue
        play = classify(cards, deal.rules)
        assert play is not None
        if table is not None:
            found |= _answer(play, table)
            if seat in passed:
                found.add("a return after a pass")
        elif turn == 0 and play.size == 5:
            found.add("an opening play of five")
        table, passes = play, 0
    for hand in deal.hands:
        if hand and deal.rules.penalty_tiers[len(hand) - 1] > 1:
            found.add("a penalty doubled or tripled")
        if "2" in str(hand):
            found.add("a loser with a 2")
    return found


def _answer(play: Play, table: Play) -> set[str]:
    """What the answer to a play shows."""
    kinds = (table.kind, play.kind)
    found = set()
    if kinds == (Kind.STRAIGHT, Kind.STRAIGHT):
        below, above = ("2" in str(each.cards) for each in (table, play))
        if above != below:
            found.add("a straight with a 2 on one without" if above else "a straight without a 2 on one with")
        if {str(card)[0] for card in play.cards} == set("A2345") != {str(card)[0] for card in table.cards}:
            found.add("an ace to five on another straight")
    named = {
        (Kind.FLUSH, Kind.FLUSH): "a flush on a flush",
        (Kind.STRAIGHT, Kind.FLUSH): "a flush on a straight",
        (Kind.FLUSH, Kind.FULL_HOUSE): "a full house on a flush",
        (Kind.STRAIGHT, Kind.FULL_HOUSE): "a full house on a straight",
        (Kind.TRIPLE, Kind.TRIPLE): "a triple on a triple",
        (Kind.TWO_PAIRS, Kind.TWO_PAIRS): "two pairs on two pairs",
        (Kind.TWO_PAIRS, Kind.FOUR_OF_A_KIND): "four of a kind on two pairs",
    }
    if kinds in named:
        found.add(named[kinds])
    return found


def played(preset: str, seed: int) -> Deal:
    """Deal 0 of a seed, played by chance to its end."""
    chance = random.Random(seed)
    deal = Deal.new(PRESETS[preset], seed)
    while not deal.is_over:
        cards = liking(chance, deal)
        if cards:
            deal.play(cards)
        else:
            deal.pass_()
    return deal


def value(preset: str, deal: Deal) -> tuple[int, int]:
    """How much of what is wanted a deal shows, and how short it is."""
    found = shown(deal)
    weights = [2 ** (len(WANTED[preset]) - i) for i in range(len(WANTED[preset]))]
    return sum(w for w, what in zip(weights, WANTED[preset], strict=True) if what in found), -len(deal.log)


def main(presets: list[str]) -> None:
    """Write the files of the presets named, or of all."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for preset in presets or PRESETS:
        seed = max(range(DEALS), key=lambda seed, preset=preset: value(preset, played(preset, seed)))  # type: ignore[misc]
        deal = played(preset, seed)
        what = [what for what in WANTED[preset] if what in shown(deal)]
        choices = iter([str(cards) for _, cards in deal.log])
        source = Source(preset, seed, ", ".join(what))
        (FOLDER / f"{preset}.txt").write_text(render(source, lambda _, left=choices: next(left)), encoding="utf-8")  # type: ignore[misc]
        print(f"{preset}: seed {seed}, {', '.join(what)}")


if __name__ == "__main__":
    main(sys.argv[1:])
