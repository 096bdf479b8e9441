"""Big Two for people: deals as pictures, rules as sentences."""
