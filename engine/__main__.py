"""``python -m engine`` is the ``featherboard`` command."""

from engine.cli import main

main()
