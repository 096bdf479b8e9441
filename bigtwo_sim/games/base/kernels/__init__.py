"""Compiled functions that every game uses: dealing, tricks, and the loop over blocks of deals."""
