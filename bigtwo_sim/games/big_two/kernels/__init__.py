"""Compiled functions of Big Two."""
