"""The text of the files in `data/playthroughs/big_three`: whole deals of Big Three, readable without a legend.

A file is rendered from its deal and what was done in it, so it is checked by reading what was done, doing it again and
rendering the deal anew. Run as a program, on purpose only, this writes them: a changed line is a changed rule. Of many
deals, played by chance with a liking for long plays, the one that shows most of what is wanted is taken.
"""

import random
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from bigtwo_sim.games.big_three import PRESETS, Deal, Kind, Rules, classify
from tests import DATA
from tests.games.big_three.decisions import PASS, take

FOLDER = DATA / "playthroughs" / "big_three"
HEAD = """# One deal of Big Three under the rules {rules}, turn by turn.
# Shows: {shows}.
# tests/games/big_three/playthroughs.py writes this file, and only on purpose: a changed line is a changed rule.
"""
RULES: dict[str, Rules] = {
    "shaanxi": PRESETS["shaanxi"],
    "as_printed": PRESETS["as_printed"],
    "four_opposite": PRESETS["shaanxi"].replace(players=4, stake=2),
    "four_adjacent": PRESETS["as_printed"].replace(players=4, seating="adjacent"),
}
DEALS = 1500
SHOWS, LAYS, BIDS, PASSES = "# Shows: ", "    lays ", "    bids ", "    passes"
Choice = Callable[[Deal], int]  # a bid or the bits of a play, 0 for a pass


class Source(NamedTuple):
    """Where a deal comes from, and what it is there to show."""

    rules: str
    seed: int
    shows: str


def partners(deal: Deal) -> str:
    """Who plays with whom, in words."""
    if deal.soloist is not None:
        return f"seat {deal.soloist} plays alone for {deal.bid}"
    pairs = sorted({tuple(sorted((seat, deal.partner(seat)))) for seat in range(4)})  # type: ignore[type-var]
    return f"seats {' against '.join(f'{one} and {other}' for one, other in pairs)}, for {deal.bid}"


def render(source: Source, choose: Choice) -> str:
    """The text of a deal, in which every turn is decided by `choose`."""
    rules = RULES[source.rules]
    deal = Deal.new(rules, source.seed)
    text = [*HEAD.format(rules=rules.name, shows=source.shows).splitlines(), "", f"seed: {source.seed}"]
    text += [f"seat {seat}: {hand}" for seat, hand in enumerate(deal.dealt)]
    if deal.in_auction:
        text += [f"kitty: {deal.dealt_kitty}", "", f"Auction: seat {deal.first} speaks first"]
    while deal.in_auction:
        legal = " or ".join(map(str, deal.legal_bids()))
        text.append(f"  seat {deal.turn} may bid {legal}")
        bid = choose(deal)
        text.append(f"{BIDS}{bid}" if bid else PASSES)
        take(deal, bid)
    text += ["", f"Play: {partners(deal)}"]
    trick = 0
    while not deal.is_over:
        if deal.play_to_beat is None:
            trick += 1
            text += ["", f"Trick {trick}: seat {deal.turn} leads"]
        text += _turn(deal, choose)
    text += ["", f"Seat {deal.winner} is out after {len(deal.log)} turns."]
    for seat, (hand, points) in enumerate(zip(deal.hands, deal.points, strict=True)):
        text.append(f"seat {seat}: {points:+d}, holds {hand or 'nothing'}")
    return "\n".join(text) + "\n"


def _turn(deal: Deal, choose: Choice) -> list[str]:
    """Do one turn and tell it."""
    seat, table = deal.turn, deal.play_to_beat
    lines = [f"{len(deal.log) + 1:3}. seat {seat} holds {deal.hands[seat]}"]
    plays = deal.legal_plays()
    kinds = ", ".join(f"{kind.words} {count}" for kind, count in Counter(play.kind for play in plays).items())
    number = "1 play" if len(plays) == 1 else f"{len(plays)} plays"
    lines.append(f"    {number} ({kinds}){' or a pass' if deal.may_pass else ''}" if plays else "    no play")
    chosen = choose(deal)
    take(deal, chosen)
    if chosen == PASS:
        return [*lines, PASSES]
    play = classify(deal.log[-1][1], deal.rules)
    return [*lines, f"{LAYS}{play}{f' on {table}' if table else ''}, {deal.left[seat]} left"]


def read(name: str, text: str) -> tuple[Source, list[int]]:
    """What a file tells: where its deal comes from, and what was done in each turn."""
    deck = RULES[name].deck
    lines = text.splitlines()
    seed = next(int(line.removeprefix("seed: ")) for line in lines if line.startswith("seed: "))
    shows = next(line for line in lines if line.startswith(SHOWS)).removeprefix(SHOWS).rstrip(".")
    choices = []
    for line in lines:
        if line.startswith(BIDS):
            choices.append(int(line.removeprefix(BIDS)))
        elif line.startswith(LAYS):
            choices.append(deck.parse(line.removeprefix(LAYS).split(" (")[0]))
        elif line == PASSES:
            choices.append(PASS)
    return Source(name, seed, shows), choices


# --- finding and writing them -----------------------------------------------------------------------------------------
def liking(chance: random.Random, deal: Deal) -> int:
    """An option by chance: a low bid, a rather long and rather weak play, and a pass now and then."""
    if deal.in_auction:
        return chance.choice([PASS, PASS, deal.legal_bids()[0]])
    plays = deal.legal_plays()
    if not plays or (deal.may_pass and chance.random() < 0.3):
        return PASS
    most = max(play.size for play in plays)
    long = [play for play in plays if play.size > most // 2]
    chosen = long if chance.random() < 0.6 else plays
    return chosen[int(len(chosen) * min(chance.random(), chance.random()))].cards.bits


def shown(deal: Deal) -> set[str]:
    """What a finished deal has shown."""
    found = set()
    kinds: list[Kind] = []
    passed: set[int] = set()
    play_owner, answers = None, 0
    for seat, cards in deal.log:
        if not cards:
            passed.add(seat)
            continue
        play = classify(cards, deal.rules)
        assert play is not None
        kinds.append(play.kind)
        answers = answers + 1 if len(passed) < deal.rules.players - 1 and play_owner is not None else 0
        if answers and seat in passed:
            found.add("a return after a pass")
        if answers and play.length > 1:
            found.add("a run on a run" if play.kind == Kind.RUN else f"a {play.kind.words} on another")
        if play.length > 1 and "A" in str(cards):
            found.add("a run with an ace")
        play_owner, passed = seat, passed if answers else set()
    calls = [bid for _, bid in deal.calls]
    if PASS in calls[: len(calls) - 2] and any(
        seat == later and bid and not first
        for i, (seat, first) in enumerate(deal.calls)
        for later, bid in deal.calls[i + 1 :]
    ):
        found.add("a bid after a pass")
    if deal.soloist is not None:
        found.add("the soloist wins" if deal.winner == deal.soloist else "the soloist loses")
        if deal.winner != deal.soloist and len(set(deal.bids)) == 3:
            found.add("three different bids")
    elif deal.winner is not None and not any(seat == deal.winner for seat, cards in deal.log[-4:-1] if cards):
        found.add("a winner whose partner helped")
    return found


WANTED = {
    "shaanxi": ("a bid after a pass", "a run on a run", "a run of pairs on another", "a return after a pass"),
    "as_printed": ("three different bids", "a run with an ace", "a run on a run", "a return after a pass"),
    "four_opposite": ("a run on a run", "a return after a pass", "a winner whose partner helped"),
    "four_adjacent": ("a run with an ace", "a run on a run", "a return after a pass"),
}


def played(name: str, seed: int) -> Deal:
    """Deal 0 of a seed, played by chance to its end."""
    chance = random.Random(seed)
    deal = Deal.new(RULES[name], seed)
    while not deal.is_over:
        take(deal, liking(chance, deal))
    return deal


def _value(name: str, seed: int) -> tuple[int, int]:
    deal = played(name, seed)
    found = shown(deal)
    weights = {what: 2 ** (len(WANTED[name]) - i) for i, what in enumerate(WANTED[name])}
    return sum(weight for what, weight in weights.items() if what in found), -len(deal.log)


def main() -> None:
    """Write all files."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in RULES:
        seed = max(range(DEALS), key=lambda seed, name=name: _value(name, seed))  # type: ignore[misc]
        shows = ", ".join(what for what in WANTED[name] if what in shown(played(name, seed)))
        chance = random.Random(seed)
        text = render(Source(name, seed, shows), lambda deal, chance=chance: liking(chance, deal))  # type: ignore[misc]
        (FOLDER / f"{name}.txt").write_text(text, encoding="utf-8")
        print(f"{name}: seed {seed}, {shows}")


if __name__ == "__main__":
    main()
