"""Why the controller does not start, in one line and with an exit code."""


class StartError(Exception):
    """The controller cannot start. The message is one line; exit code 1."""

    exit_code = 1


class UsageError(StartError):
    """What the user wrote (a flag, the configuration, the kubeconfig) is wrong; exit code 2."""

    exit_code = 2
