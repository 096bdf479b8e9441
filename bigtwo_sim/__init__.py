"""Big Two self-play at speed: cards, rules, deals and the arena in which agents are compared."""

__version__ = "0.2.0"
