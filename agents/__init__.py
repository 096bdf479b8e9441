"""The strategies: one file a method, and the text that names an agent."""
