"""The search for better weights of a method, and for the setting of a level that wins a given share."""
