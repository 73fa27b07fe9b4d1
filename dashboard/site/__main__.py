"""Write the static site: ``python -m dashboard.site FOLDER``; ``featherboard publish-site`` runs it."""

import logging
import sys
from pathlib import Path

from dashboard.site.build import publish
from db.base.paths import default_database
from db.storage.store import Store


def main() -> None:
    """Publish the default database into the folder of the command line, and say what was written."""
    logging.getLogger("streamlit").setLevel(logging.ERROR)  # outside of a session it warns at each look
    folder = Path(sys.argv[1])
    files = publish(Store(default_database()), folder)
    size = sum((folder / file).stat().st_size for file in files)
    sys.stdout.write(f"{len(files)} files, {size / 1e6:.2f} MB; open {folder / 'index.html'}\n")


if __name__ == "__main__":
    main()
