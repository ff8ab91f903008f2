"""``python -m controller``."""

from controller.shell.flags import start

start()
