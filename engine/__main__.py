"""``python -m engine`` is the ``featherboard`` command."""

from engine.cli.app import main

main()
