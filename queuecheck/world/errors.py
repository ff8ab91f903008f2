"""What keeps scenarios from being run at all."""


class EnvironmentBroken(Exception):
    """The cluster or the implementation on it is not fit to be judged.

    The message's first line says what, what follows shows the end of a log.
    """
