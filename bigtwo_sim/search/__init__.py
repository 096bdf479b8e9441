"""Worlds and rollouts, whichever the game: the machinery of a Monte Carlo player, made out of a game's kernels."""
