"""Streamlit's own server, and a thread that gets the playground ready: ``python -m dashboard.server run app.py``.

Reading a model takes a second, and its export on the first start of all half a minute, which the first visitor of the
playground would wait for.
"""

import logging
import os
import sys
import threading

from dashboard.playground import engine_bridge
from db.base.errors import FeatherboardError

VARIABLE = "FEATHERBOARD_PRELOAD"
"""The environment variable that asks for it, with 1; ``featherboard serve`` sets it."""

_LOG = logging.getLogger("featherboard.server")


def get_ready() -> None:
    """Load the model that answers where nobody chose; where it cannot be had, the playground tells its visitors."""
    if engine_bridge.missing():
        return
    try:
        engine_bridge.predictor().warm("qa")
    except FeatherboardError as error:
        _LOG.info("The playground is not ready yet: %s", error)


def main() -> None:
    """Serve as ``streamlit`` does, with its arguments."""
    if os.environ.get(VARIABLE) == "1":
        threading.Thread(target=get_ready, name="playground-preload", daemon=True).start()
    from streamlit.web import cli  # noqa: PLC0415 - the thread begins first

    sys.exit(cli.main(prog_name="streamlit"))


if __name__ == "__main__":
    main()
