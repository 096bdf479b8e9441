"""The games: the contract that all share, one folder a game, and the registry of their names."""
