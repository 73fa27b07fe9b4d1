"""``python -m tests.factories.faults OPERATION KIND FOLDER AT_MOST``, with the library preloaded."""

import logging
import sys
from pathlib import Path

from tests.factories.faults import operations, server

if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    if sys.argv[1] == "checkpoint":
        import torch  # noqa: F401 - once, not in each trial

    server(operations.OPERATIONS[sys.argv[1]], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]))
