"""What can go wrong with a cluster, each in one sentence that says what to do."""


class ClusterError(Exception):
    """The cluster could not be started, or is not what it has to be."""


class ProgramsError(ClusterError):
    """A program of the control plane is neither there nor to be had."""


class ProcessError(ClusterError):
    """A child process could not be started, or has ended by itself."""
