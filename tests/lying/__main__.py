"""The reference controller with one fault put in: ``LIAR LIE [flags of the controller]``.

A liar is a module beside this one, a lie a function of it: a small patch of one decision.
Everything else is the reference. The suite has to find each of them out, by the requirement that
names the fault. None of this is shipped.
"""

from __future__ import annotations

import sys
from importlib import import_module

from controller.shell.flags import main

liar, lie = sys.argv.pop(1), sys.argv.pop(1)
getattr(import_module(f"tests.lying.{liar}"), lie.replace("-", "_"))()
main(prog_name="python -m controller")
