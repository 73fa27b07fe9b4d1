"""Where the repository, the app and the data beside the checkout lie."""

from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
APP = REPO / "dashboard" / "app.py"
SHARED = REPO.parent / "shared"
"""Documents and data that only the project's own machines have; tests that need them skip where they are missing."""
