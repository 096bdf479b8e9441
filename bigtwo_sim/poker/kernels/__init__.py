"""Compiled functions of poker."""
