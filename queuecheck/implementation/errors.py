"""What can go wrong with an implementation, apart from what the suite is there to find."""


class DescriptorError(Exception):
    """The descriptor cannot be used; one line with file, path, value and what to do."""


class ImplementationError(Exception):
    """A verb did not have its effect: not started, not ready, not there."""
