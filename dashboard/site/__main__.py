"""Write the static site: ``python -m dashboard.site FOLDER``; ``featherboard publish-site`` runs it."""

import logging
import sys
from pathlib import Path

from dashboard.site.build import publish
from db.base.errors import FeatherboardError
from db.base.paths import default_database
from db.storage.store import Store


def main() -> None:
    """Publish the default database into the folder of the command line, and say what was written.

    Raises:
        SystemExit: Nothing can be published; the message says why.
    """
    logging.getLogger("streamlit").setLevel(logging.ERROR)  # outside of a session it warns at each look
    if len(sys.argv) != 2:
        sys.exit("Name one folder for the files: python -m dashboard.site FOLDER")
    folder = Path(sys.argv[1])
    try:
        files = publish(Store(default_database()), folder)
    except FeatherboardError as error:
        sys.exit(f"{error} Nothing was published.")
    except OSError as error:
        sys.exit(f"{error.filename or folder} cannot be written: {error.strerror}. The site may be incomplete.")
    size = sum((folder / file).stat().st_size for file in files)
    sys.stdout.write(f"{len(files)} files, {size / 1e6:.2f} MB; open {folder / 'index.html'}\n")


if __name__ == "__main__":
    main()
