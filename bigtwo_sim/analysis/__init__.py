"""What every option of a position is worth, with intervals, made from the search of a game."""
