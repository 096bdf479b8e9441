"""The error for what a user wrote."""


class InputError(ValueError):
    """Something the user wrote that cannot be used; the message names it and says what must be true."""
