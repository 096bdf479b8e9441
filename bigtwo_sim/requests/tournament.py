"""A tournament: agents play whole blocks of deals against each other; each figure comes with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bigtwo_sim.arena import (
    Plan,
    Precision,
    SavedRun,
    SequentialTest,
    StoppingError,
    StoppingRule,
    gauntlet,
    mirrors,
    read_lineups,
    round_robin,
)
from bigtwo_sim.bots.isolation import try_out
from bigtwo_sim.games.base.ruleset import RuleSet
from bigtwo_sim.games.registry import BIG_THREE, BIG_TWO
from bigtwo_sim.requests.errors import RequestError
from bigtwo_sim.requests.inputs import AgentLike, RulesLike, agent_of, agents_of, distinct, is_portable, rules_of
from bigtwo_sim.requests.runs import Progress, play_here
from bigtwo_sim.untrusted.text_files import TextFileError, read_text, shown_path

DEFAULT_AGENTS = {
    BIG_TWO: ("random", "greedy", "heuristic", "shapeless=heuristic:lead_turns=0,answer_fall=0,answer_turns=0"),
    BIG_THREE: ("random", "greedy", "heuristic"),
}
DEFAULT_DEALS = 20_000
ROUND_ROBIN, GAUNTLET = "round-robin", "gauntlet"

LineUps = list[tuple[int, ...]]


@dataclass(frozen=True)
class TournamentRequest:
    """What is asked of a tournament."""

    agents: Sequence[AgentLike]
    """As many as seats: that line-up, where one several times takes several seats. Fewer: every line-up that seats each
    of them. More: every choice of so many. None at all: the game's DEFAULT_AGENTS."""
    rules: RuleSet
    lineups: str | Sequence[Sequence[str]] = ROUND_ROBIN
    """Who meets: `round-robin` (as above); `gauntlet`, the first agent among each other one in all other seats; the
    file that names the line-ups, an agent for each seat a line; or these line-ups themselves."""
    mirror: bool = False
    """Whether each agent takes all seats as well."""
    deals: int | None = None
    """Deals in all, rounded up to whole blocks; with `precision` or `test` the most. None: DEFAULT_DEALS, or no end."""
    precision: str | None = None
    """Play until every interval of win rates ("0.5%") or of points ("0.05") is at most that wide to each side."""
    test: str | None = None
    """"A>B": play until it is decided whether A is better than B."""
    alpha: float | None = None
    """Of a test: how often A>B may be found where it is not so. None: 0.05."""
    beta: float | None = None
    """Of a test: how often A>B may be missed where it is so. None: 0.05."""
    effect: str | None = None
    """Of a test: the least difference that counts, of points a deal ("0.2") or of win rates ("1%")."""
    seed: int = 0
    """The same seed plays the same decks."""
    move_time: float | None = None
    """Seconds after which a Python agent or bot forfeits its decision. None: no limit, and 10 for a bot."""
    memory: int | None = None
    """Bytes beyond which a Python agent or bot forfeits its decision. None: the default of the arena."""
    strict: bool = False
    """Whether the first fault of an agent ends the run."""
    isolate: bool = False
    """Whether each Python agent has a process of its own."""

    def plan(self) -> Plan:
        """What is played, to the last deal; agents that other processes make are tried out.

        Raises RequestError and AgentError, which name what cannot be meant.
        """
        game = self.rules.GAME
        agents, lineups = self._seated()
        seated = agents_of(agents, game)
        stop = self._stopping_rule([agent.name for agent in seated])
        try:
            plan = Plan.of(
                seated,
                self.rules,
                self.seed,
                deals=DEFAULT_DEALS if stop is None and self.deals is None else self.deals,
                lineups=lineups,
                stop=stop,
                move_time=self.move_time,
                memory=self.memory,
                strict=self.strict,
                isolate=self.isolate,
            )
        except ValueError as error:
            raise RequestError(str(error)) from None
        for agent in plan.agents:
            if is_portable(agent):
                try_out(agent, game=game)  # a factory that fails is reported before anything is written
        return plan

    def _seated(self) -> tuple[list[AgentLike], LineUps | None]:
        """The agents that are seated, each once, and their line-ups by number (None: the round robin)."""
        agents, seats = list(self.agents or DEFAULT_AGENTS[self.rules.GAME]), self.rules.players
        seated, places = distinct(agents)
        if len(agents) != seats:
            seated, places = agents, list(range(len(agents)))
        lineups: LineUps | None = None
        if self.lineups == GAUNTLET:
            if len(seated) < 2:
                raise RequestError("a gauntlet needs two agents at least: the one that is judged, and its field")
            lineups = gauntlet(range(len(seated)), seats)
        elif self.lineups != ROUND_ROBIN:
            seated, lineups = _by_name(self._written_lineups(), agents)
        elif len(seated) < len(places):  # the same one again: the same agent in another seat
            lineups = [tuple(sorted(places))]
        if self.mirror:
            numbers = range(len(seated))
            listed = round_robin(numbers, seats) if lineups is None else lineups
            lineups = listed + [lineup for lineup in mirrors(numbers, seats) if lineup not in listed]
        return seated, lineups

    def _written_lineups(self) -> Sequence[Sequence[str]]:
        """The line-ups that are listed, here or in a file."""
        if not isinstance(self.lineups, str):
            return self.lineups
        try:
            return read_lineups(read_text(self.lineups), self.rules.players)
        except TextFileError as error:
            raise RequestError(
                f"lineups is {shown_path(self.lineups)!r}; it must be {ROUND_ROBIN}, {GAUNTLET} or a file of line-ups: "
                f"{error.reason}",
                "lineups",
            ) from None
        except ValueError as error:
            raise RequestError(f"lineups {self.lineups}: {error}", "lineups") from None

    def _stopping_rule(self, names: Sequence[str]) -> StoppingRule | None:
        if self.precision is not None and self.test is not None:
            message = "precision and test are two ways to end a run; give one of them"
            raise RequestError(message, "precision", "test")
        of_test = {"alpha": self.alpha, "beta": self.beta, "effect": self.effect}
        given: dict[str, Any] = {name: value for name, value in of_test.items() if value is not None}
        if given and self.test is None:
            first = next(iter(given))
            raise RequestError(f"{first} belongs to test A>B", first, "test")
        try:
            if self.precision is not None:
                return Precision.parse(self.precision)
            return None if self.test is None else SequentialTest.parse(self.test, names, **given)
        except StoppingError as error:
            raise RequestError(str(error), str(error).partition(" ")[0]) from None


def _by_name(lineups: Sequence[Sequence[str]], agents: Sequence[AgentLike]) -> tuple[list[AgentLike], LineUps]:
    """Line-ups whose words are agents' texts, or the names of some `agents`."""
    named: dict[str, AgentLike] = {}
    for agent in agents:
        if not isinstance(agent, str):
            named[agent_of(agent).name] = agent
        elif "=" in agent.partition(":")[0]:
            named[agent.partition("=")[0].strip()] = agent
    seated, places = distinct([named.get(word, word) for lineup in lineups for word in lineup])
    rest = iter(places)
    return seated, [tuple(next(rest) for _ in lineup) for lineup in lineups]


def tournament(
    agents: Sequence[AgentLike] = (),
    *,
    rules: RulesLike = None,
    game: str = BIG_TWO,
    out: str | Path | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
    **more: Any,
) -> SavedRun:
    """Play agents against each other; what came out has `agents`, `pairs`, `lineups`, `strengths` and `blocks`.

    `agents` are texts as the command line has them, agents, or classes of Python agents; `rules` a preset's name, a
    TOML file or rules of any game; `game` says of which game the presets are. `more` are the other fields of
    `TournamentRequest`, such as `deals`, `seed` or `precision`. The run is saved in `out`, or kept for as long as the
    object that is returned. `workers` and `cluster` play it as for `bigtwo tournament`; a Python agent that is a class
    of this process is played here, in one. `progress` is called with the outcome so far. Ctrl-C ends it with what was
    played.

    >>> from bigtwo_sim import tournament
    >>> run = tournament(["heuristic", "random"], deals=1400, rules="pagat")
    >>> run.agents["agent"][run.agents["points"].idxmax()]
    'heuristic'

    Raises RequestError, AgentError and RulesError for what cannot be meant, RunError where `out` holds anything.
    """
    request = TournamentRequest(agents, rules_of(rules, game), **more)
    return play_here(request.plan(), out, "tournament()", workers, cluster, progress)
