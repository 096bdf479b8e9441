"""Saved runs: their folder, manifest, parts and summary, written whole and read with suspicion."""
