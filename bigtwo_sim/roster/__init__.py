"""Agents by name: the texts that name them, level files, and where their code is."""
