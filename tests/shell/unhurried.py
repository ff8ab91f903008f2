"""The controller with time for its last words, however busy the machine is on which it ends."""

from controller.shell import election, process
from controller.shell.flags import start

process.STOP_PATIENCE = election.LAST_WORDS = 30.0
start()
