"""Deals and matches of Big Two as text files."""
