"""Agents in processes of their own, and programs in other languages: their processes, limits, protocol and check."""
