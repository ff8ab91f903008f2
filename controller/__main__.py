"""``python -m controller``."""

from controller.shell.flags import main

main(prog_name="python -m controller")
