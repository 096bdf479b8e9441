"""Compiled functions of Big Three."""
