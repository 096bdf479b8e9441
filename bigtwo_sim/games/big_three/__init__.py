"""Big Three: rules, plays, auction and deals, and self-play between policies.

>>> from bigtwo_sim.games.big_three import CardSet, Rules, legal_plays
>>> rules = Rules()
>>> hand = CardSet.parse("7D 8C 9H TS JD JC 3S", rules.deck)
>>> [str(play) for play in legal_plays(hand, rules, on=CardSet.parse("6S 7C 8D", rules.deck))]
['7D 8C 9H (run)', '8C 9H TS (run)', '9H TS JD (run)']
"""

from bigtwo_sim.core.cards import CardError, CardSet, Deck
from bigtwo_sim.games.base.agent import AgentError, IllegalPlay, Method, Parameter, PolicyAgent
from bigtwo_sim.games.base.plays import Comparison
from bigtwo_sim.games.base.python_agent import AgentFault, AnyAgent, PythonAgent
from bigtwo_sim.games.base.ruleset import RulesError
from bigtwo_sim.games.big_three.comparison import compare
from bigtwo_sim.games.big_three.conformance import check_agent
from bigtwo_sim.games.big_three.deal import Agent, Deal, View, legal_plays
from bigtwo_sim.games.big_three.fault import Fault
from bigtwo_sim.games.big_three.kernels.selfplay import play_blocks
from bigtwo_sim.games.big_three.plays import Kind, Play, classify
from bigtwo_sim.games.big_three.policy import policy
from bigtwo_sim.games.big_three.python_loop import DealResult, PythonLoop
from bigtwo_sim.games.big_three.rules import PRESETS, SWITCHES, Rules, preset

__all__ = [
    "PRESETS",
    "SWITCHES",
    "Agent",
    "AgentError",
    "AgentFault",
    "AnyAgent",
    "CardError",
    "CardSet",
    "Comparison",
    "Deal",
    "DealResult",
    "Deck",
    "Fault",
    "IllegalPlay",
    "Kind",
    "Method",
    "Parameter",
    "Play",
    "PolicyAgent",
    "PythonAgent",
    "PythonLoop",
    "Rules",
    "RulesError",
    "View",
    "check_agent",
    "classify",
    "compare",
    "legal_plays",
    "play_blocks",
    "policy",
    "preset",
]
