"""The checkpoints that come with the package. No torch: a list of them takes no time."""

from importlib import resources
from pathlib import Path

SHIPPED = "shipped:"
"""Before the name of a shipped checkpoint where a recipe could stand too."""

CARD = "card.json"
"""A folder with a card is a whole checkpoint; see ``engine.checkpoints.checkpoint``."""


def shipped() -> list[str]:
    """The names of the checkpoints that come with the package."""
    root = _root()
    if not root.is_dir():
        return []
    return sorted(folder.name for folder in root.iterdir() if (folder / CARD).is_file())


def shipped_folder(name: str) -> Path | None:
    """Where a shipped checkpoint lies; None where there is none of that name."""
    return _root() / name if name in shipped() else None


def _root() -> Path:
    return Path(str(resources.files("engine"))) / "pretrained"
