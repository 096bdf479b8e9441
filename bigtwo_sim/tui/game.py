"""The game behind the screen: a match between a person and chairs, kept in a file as it goes. It knows no screen."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from bigtwo_sim.games.big_two import CardSet, Deal, Play, Rules, classify
from bigtwo_sim.games.big_two.match import Match
from bigtwo_sim.games.big_two.records.record import Record
from bigtwo_sim.games.big_two.records.record_file import RecordFile
from bigtwo_sim.games.big_two.records.record_form import RecordCutError, RecordError

PERSON = "you"
"""Who sits where a person does, in records."""
DATA_DIR = "BIGTWO_DATA_DIR"
ENDING = ".bigtwo"
MOST_GAMES_LOOKED_AT = 50
SPEEDS: dict[str, float] = {"slow": 2.4, "normal": 1.1, "fast": 0.35, "instant": 0.0}
"""Seconds that the turn of an agent takes at least, by the name of the speed."""


def games_folder(chosen: Path | None = None) -> Path:
    """Where games are kept: `chosen`, or what BIGTWO_DATA_DIR names, or the user's folder for data."""
    if chosen is not None:
        return chosen
    parent = os.environ.get(DATA_DIR) or platformdirs.user_data_dir("bigtwo_sim", appauthor=False)
    return Path(parent) / "games"


def new_file(folder: Path) -> Path:
    """A file in `folder`, which is made, that does not exist yet; it is named after the time."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = time.strftime("%Y-%m-%d-%H%M%S")
    number = 1
    while True:
        path = folder / f"{stem}{'' if number == 1 else f'-{number}'}{ENDING}"
        if not path.exists():
            return path
        number += 1


def _may_go_on(record: Record) -> bool:
    """Whether a game can be played on: its match is not won, or, without a target, its deal is not over."""
    if record.seed is None:
        return False
    return record.winner is None if record.target is not None else record.unfinished is not None


def latest_unfinished(folder: Path) -> Path | None:
    """The game in `folder` that was played last of those that can go on; None where there is none.

    Only the latest games are looked at, so that it takes no time.
    """
    files = sorted(folder.glob(f"*{ENDING}"), key=lambda path: (path.stat().st_mtime, path.name), reverse=True)
    for path in files[:MOST_GAMES_LOOKED_AT]:
        try:
            if _may_go_on(Record.load(path)):
                return path
        except RecordCutError:  # it was left in the middle of a line
            return path
        except RecordError:
            continue
    return None


@dataclass(frozen=True)
class Turn:
    """A turn that was made: `play` is None for a pass; `trick` counts from 0 within the deal."""

    seat: int
    play: Play | None
    trick: int


class Game:
    """A match in progress with the deal that is being played: the state that a screen draws.

    `players` are four texts by seat: PERSON, or that of an agent. `folder` None: it is not kept.
    """

    def __init__(
        self, rules: Rules, players: Sequence[str], seed: int, target: int | None, folder: Path | None = None
    ) -> None:
        self.players = tuple(players)
        self.match = Match(rules, seed, target)
        self.file: RecordFile | None = None
        self.unsaved = ""
        """Why the game cannot be kept just now; "" as long as it is."""
        if folder is not None:
            try:
                self.file = RecordFile.create(new_file(folder), self.match, self.players)
            except (OSError, RecordError) as error:
                self.unsaved = getattr(error, "strerror", None) or str(error)
        self.deal = self.match.next_deal()
        self._begin()

    @classmethod
    def resume(cls, path: Path) -> Game:
        """The game in a file, from where it was left.

        Raises RecordError where it cannot be read, is damaged or in use by another process, or is over.
        """
        file = RecordFile.resume(path)
        game = cls.__new__(cls)
        game.players, game.match, game.file, game.unsaved = file.players, file.match, file, ""
        if game.match.winner is not None or (file.deal is None and game.match.target is None and game.match.number):
            file.close()
            raise RecordError("the game is over", path=path)
        if file.deal is not None:
            game.deal = file.deal
            game._begin(told=True)
        else:
            game.deal = game.match.next_deal()
            game._begin()
        return game

    # --- what there is to see -----------------------------------------------------------------------------------------
    @property
    def rules(self) -> Rules:
        """The rules, with the match's target."""
        return self.match.rules

    @property
    def person(self) -> int | None:
        """The seat of the person; None where four agents play."""
        return self.players.index(PERSON) if PERSON in self.players else None

    @property
    def totals(self) -> tuple[int, ...]:
        """Points by seat, with the deal that has just ended."""
        return self.match.totals

    @property
    def is_counted(self) -> bool:
        """Whether the deal is over and its points are in the totals."""
        return self.deal.is_over and self._counted

    @property
    def deal_number(self) -> int:
        """The number of this deal for people, from 1."""
        return self.match.number + (not self.is_counted)

    @property
    def trick(self) -> int:
        """The number of the trick that the next turn belongs to."""
        return self._trick

    def latest(self, seat: int) -> Turn | None:
        """The last turn of a seat in this trick, or in the last one while nobody has led to the next."""
        shown = self.turns[-1].trick if self.turns else 0
        return next((turn for turn in reversed(self.turns) if turn.seat == seat and turn.trick == shown), None)

    # --- turns --------------------------------------------------------------------------------------------------------
    def _begin(self, told: bool = False) -> None:
        self._trick = 0
        self._counted = False
        self.turns: list[Turn] = []
        for seat, cards in self.deal.log:
            self.turns.append(Turn(seat, classify(cards, self.rules) if cards else None, 0))
        if self.turns:
            self._count_tricks()
        if not told:
            self._keep(lambda file: file.begin_deal(self.deal))

    def _count_tricks(self) -> None:
        """Number the tricks of a deal that was taken up again, from its log."""
        again = Deal.from_hands(self.rules, list(self.deal.dealt), self.deal.leader)
        trick = 0
        for place, (seat, cards) in enumerate(self.deal.log):
            self.turns[place] = Turn(seat, self.turns[place].play, trick)
            if cards:
                again.play(cards)
            else:
                again.pass_()
            trick += again.play_to_beat is None
        self._trick = trick

    def take(self, cards: CardSet) -> None:
        """The turn of the seat on turn: these cards, or none for a pass. Raises IllegalPlay, and nothing changed."""
        seat = self.deal.turn
        if cards:
            self.deal.play(cards)
        else:
            self.deal.pass_()
        self.turns.append(Turn(seat, classify(cards, self.rules) if cards else None, self._trick))
        self._trick += self.deal.play_to_beat is None
        self._keep(lambda file: file.turn(seat, cards))
        if self.deal.is_over:
            self.end_deal()

    def end_deal(self) -> None:
        """Count the deal, which is over."""
        points = self.match.end_deal(self.deal)
        self._counted = True
        self._keep(lambda file: file.end_deal(points, self.match.totals))

    def next_deal(self) -> None:
        """Deal anew. Raises ValueError where the match is over."""
        self.deal = self.match.next_deal()
        self._begin()

    # --- the file -----------------------------------------------------------------------------------------------------
    def _keep(self, write: Callable[[RecordFile], None]) -> None:
        """Write to the file; what cannot be written now is written with what comes next."""
        if self.file is not None:
            try:
                write(self.file)
                self.unsaved = ""
            except OSError as error:
                self.unsaved = error.strerror or str(error)

    def close(self) -> None:
        """Let go of the file."""
        file, self.file = self.file, None
        if file is not None:
            with contextlib.suppress(OSError):
                file.close()
