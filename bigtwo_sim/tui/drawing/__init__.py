"""How cards, hands and lines are drawn from characters."""
