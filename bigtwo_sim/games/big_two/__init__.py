"""Big Two: rules, plays, deals, and self-play between four policies.

>>> from bigtwo_sim.games.big_two import CardSet, Rules, classify, legal_plays
>>> rules = Rules()
>>> hand = CardSet.parse("3D 3C 7H 7S 2S")
>>> [str(play) for play in legal_plays(hand, rules, on=CardSet.parse("6S 6C"))]
['7H 7S (pair)']
>>> classify(hand, rules) is None
True
"""

from bigtwo_sim.core.cards import CardError, CardSet, Deck
from bigtwo_sim.core.kernel import highest, popcount
from bigtwo_sim.games.base.fault_file import FaultError
from bigtwo_sim.games.base.plays import Comparison
from bigtwo_sim.games.base.ruleset import RulesError
from bigtwo_sim.games.big_two.comparison import compare
from bigtwo_sim.games.big_two.conformance import check_agent
from bigtwo_sim.games.big_two.deal import Agent, Deal, IllegalPlay, View, legal_plays, show_deal
from bigtwo_sim.games.big_two.display.picture import Picture
from bigtwo_sim.games.big_two.fault import Fault
from bigtwo_sim.games.big_two.kernels.selfplay import play_blocks
from bigtwo_sim.games.big_two.match import Match
from bigtwo_sim.games.big_two.plays import Kind, Play, classify
from bigtwo_sim.games.big_two.policy import AgentError, Method, Parameter, PolicyAgent, policy
from bigtwo_sim.games.big_two.python_agent import AgentFault, AnyAgent, DealResult, Forfeit, PythonAgent, close_agent
from bigtwo_sim.games.big_two.python_loop import PythonLoop
from bigtwo_sim.games.big_two.records.record import Record
from bigtwo_sim.games.big_two.records.record_file import RecordFile
from bigtwo_sim.games.big_two.records.record_form import RecordedDeal, RecordError
from bigtwo_sim.games.big_two.rules import PRESETS, SWITCHES, Rules, preset

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
    "FaultError",
    "Forfeit",
    "IllegalPlay",
    "Kind",
    "Match",
    "Method",
    "Parameter",
    "Picture",
    "Play",
    "PolicyAgent",
    "PythonAgent",
    "PythonLoop",
    "Record",
    "RecordError",
    "RecordFile",
    "RecordedDeal",
    "Rules",
    "RulesError",
    "View",
    "check_agent",
    "classify",
    "close_agent",
    "compare",
    "highest",
    "legal_plays",
    "play_blocks",
    "policy",
    "popcount",
    "preset",
    "show_deal",
]
