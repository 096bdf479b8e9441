"""From fixed positions there are as many lines of play in the engine as the reference counted (`data/perft`)."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bigtwo_sim.core.kernel import kernel
from bigtwo_sim.games.big_two import Deal, Rules
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.kernels.turns import apply_pass, apply_play, legal_actions, new_public, start_deal
from tests.games.big_two import perft
from tests.games.big_two.sides import amount, card_set, engine_rules
from tests.reference.big_two import NaiveDeal, cards, count_lines_by_step
from tests.reference.vectors import PRESETS, rules

pytestmark = pytest.mark.kernel

FILES = sorted(perft.FOLDER.glob("*.txt"))
POSITIONS_A_FILE = 8


@kernel
def count_lines(publics: Any, hands: Any, plays: Any, strengths: Any, steps: Any, depth: Any, lines: Any) -> None:
    """Count the lines of `depth` steps from the position of `publics[0]` and `hands[0]`, by their first step.

    Each depth has a row of its own: publics PUBLIC[depth + 1], hands uint64[depth + 1, 4], plays uint64[depth,
    MAX_PLAYS], strengths int64 of that shape; steps int64[depth, 2] is the next step to try and how many there are.
    `lines` int64[MAX_PLAYS + 1] is written: one number for each first step, the pass last.
    """
    level = 0
    steps[0, 1] = -1
    while level >= 0:
        if steps[level, 1] < 0:
            public = publics[level]
            count, may_pass = legal_actions(public, hands[level, public.turn], plays[level], strengths[level])
            steps[level, 0] = 0
            steps[level, 1] = count + may_pass
        step = steps[level, 0]
        if step == steps[level, 1]:
            level -= 1
            continue
        steps[level, 0] = step + 1
        publics[level + 1] = publics[level]
        for seat in range(at.SEATS):
            hands[level + 1, seat] = hands[level, seat]
        # The pass is the last step, where there is one.
        if step == steps[level, 1] - 1 and publics[level].may_pass:
            apply_pass(publics[level + 1])
        else:
            apply_play(publics[level + 1], hands[level + 1], plays[level, step], strengths[level, step])
        level += 1
        if publics[level].winner >= 0 or level == depth:
            lines[steps[0, 0] - 1] += 1
            level -= 1
        else:
            steps[level, 1] = -1


@kernel
def begin(publics: Any, hands: Any, leader: Any) -> None:
    start_deal(publics[0], hands[0], leader)


def lines_by_step(chosen: Rules, position: perft.Position, depth: int) -> dict[str, int]:
    """Lines of play by their first step: the text of the play, or "pass", and the number of lines that begin so."""
    publics = np.repeat(new_public(chosen), depth + 1)
    hands = np.zeros((depth + 1, at.SEATS), np.uint64)
    hands[0] = [card_set(hand, chosen).bits for hand in position.hands]
    plays = np.zeros((depth, at.MAX_PLAYS), np.uint64)
    strengths = np.zeros((depth, at.MAX_PLAYS), np.int64)
    lines = np.zeros(at.MAX_PLAYS + 1, np.int64)
    begin(publics, hands, -1 if position.leader is None else position.leader)
    count_lines(publics, hands, plays, strengths, np.zeros((depth, 2), np.int64), depth, lines)
    deal = Deal.from_hands(chosen, [card_set(hand, chosen) for hand in position.hands], position.leader)
    steps = [str(play.cards) for play in deal.legal_plays()] + ["pass"] * deal.may_pass
    assert not lines[len(steps) :].any()
    return dict(zip(steps, lines.tolist(), strict=False))


def report(position: perft.Position, file: perft.Perft, depth: int, found: dict[str, int]) -> str:
    """What to look at: the position, and the lines of each first step, beside the reference's where that is quick."""
    lines = [f"{position.name} at depth {depth}: {sum(found.values())} lines, on file {position.lines[depth]}"]
    lines += [f"seat {seat}: {hand}" for seat, hand in enumerate(position.hands)]
    expected: dict[str, int] = {}
    if position.lines[depth] < 5_000:
        plain = rules(file.preset, **file.changes)
        expected = count_lines_by_step(NaiveDeal(map(cards, position.hands), plain, position.leader), depth)
    for step in found.keys() | expected.keys():
        lines.append(f"{step}: {found.get(step)} lines, the reference counts {expected.get(step, '?')}")
    return "\n".join(lines)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_lines_are_those_on_file(path: Path) -> None:
    file = perft.read(path)
    chosen = engine_rules(rules(file.preset, **file.changes))
    assert len(file.positions) == POSITIONS_A_FILE
    counted = 0
    for position in file.positions:
        for depth, expected in position.lines.items():
            if expected <= amount(10**9, 2_000):
                found = lines_by_step(chosen, position, depth)
                assert sum(found.values()) == expected, report(position, file, depth, found)
                counted += expected
    assert counted > amount(100_000, 5_000)


def test_there_are_files_for_every_preset_and_for_house_rules() -> None:
    names = {path.stem for path in FILES}
    assert set(PRESETS) < names
    assert len(names) > len(PRESETS) + 3


def test_report_tells_the_first_steps_apart() -> None:
    path = next(path for path in FILES if path.stem == "singapore")
    file = perft.read(path)
    position = next(position for position in file.positions if position.name == "threes to sevens")
    depth = 2
    found = lines_by_step(engine_rules(rules()), position, depth)
    lines = report(position, file, depth, found).splitlines()
    assert f"on file {position.lines[depth]}" in lines[0]
    for line in lines[5:]:
        step, _, counts = line.partition(": ")
        assert counts == f"{found[step]} lines, the reference counts {found[step]}"


def test_lines_by_hand() -> None:
    # 3D; then 4D, which ends the deal, or a pass; after the pass 6D or a pass; ...
    position = perft.Position("", ("3D 5D", "4D", "3C 6D", "7D"), None, {})
    totals = [sum(lines_by_step(Rules(), position, depth).values()) for depth in range(1, 5)]
    assert totals == [1, 2, 4, 7]


def test_lines_do_not_write_on_the_position() -> None:
    """Counting twice gives the same: nothing is left behind."""
    file = perft.read(FILES[0])
    chosen = engine_rules(rules(file.preset, **file.changes))
    position = file.positions[0]
    assert lines_by_step(chosen, position, 2) == lines_by_step(chosen, position, 2)
