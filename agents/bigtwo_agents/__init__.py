"""The strategies: one file a method, and (in `spec`) the text that names an agent.

Nothing is imported here, so that a program pays only for the methods that it seats.
"""
