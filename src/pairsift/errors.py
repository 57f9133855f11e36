"""The one exception for a user's mistake: its message is the sentence a person reads."""


class PairsiftError(ValueError):
    """Something the user gave cannot be used; the message says what came and what to do."""
