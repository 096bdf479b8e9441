"""What all games share: the contract, agents, rules as switches, views, the loops and the checks made from them."""
