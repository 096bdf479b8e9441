"""A level, or any compiled agent, as an app seats it: an object with `choose(view)`, as a Python agent is."""

from __future__ import annotations

from bigtwo_sim.core.kernel import U64
from bigtwo_sim.core.rng import stream_of_seed
from bigtwo_sim.games.big_two import AgentError, CardSet, PolicyAgent, View
from bigtwo_sim.games.big_two.kernels.moves import new_buffers
from bigtwo_sim.games.big_two.position import public_record
from bigtwo_sim.roster.spec import parse_agent


class Level:
    """The compiled agent that a text names: `Level("easy")`, `Level("level:mild.json")`.

    >>> from bigtwo_sim import Level, position
    >>> str(Level("strong").choose(position("3D 4S 7H 7C", on="6H 6S", left=[1, 5, 13])))
    '7C 7H'

    Its chance comes from the view, so the same view is answered in the same way, and threads may share it. Raises
    AgentError as `parse_agent` does, and for an agent that is not compiled.
    """

    def __init__(self, agent: str) -> None:
        found = parse_agent(agent)
        if not isinstance(found, PolicyAgent):
            raise AgentError(f"{agent!r} is not compiled; it can be seated as it is")
        self.agent = found

    def __repr__(self) -> str:
        return f"Level({self.agent.name!r})"

    def choose(self, view: View) -> CardSet:
        """The cards to lay; an empty set passes."""
        options = [play.cards for play in view.legal_plays]
        plays, strengths = new_buffers()  # of each call its own: policies run without the GIL
        for i, play in enumerate(view.legal_plays):
            plays[i], strengths[i] = play.cards.bits, play.strength
        choice = self.agent.function(
            U64(view.hand.bits),
            public_record(view)[0],
            plays,
            strengths,
            len(options),
            self.agent.params,
            stream_of_seed(view.stream_seed),
        )
        return options[choice] if choice < len(options) else CardSet(0, view.rules.deck)
