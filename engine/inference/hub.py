"""Models of the Hugging Face hub: only when asked for, with their size told before and progress on the way.

Only safetensors and JSON are fetched, and code of a model is never run. No torch here.
"""

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.inference.schemas import PlaygroundError

PATTERNS = ("*.safetensors", "*.json", "vocab.txt", "merges.txt", "*.model")
"""Files that may be fetched, at the top of a model's repository."""

MAX_BYTES = 4 * 1024**3
"""A model of this size is not small any more."""

_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}")


@dataclass(frozen=True)
class Plan:
    """The files that would be fetched.

    Attributes:
        name: ``OWNER/NAME``.
        revision: The commit that was looked at; it is the one that is fetched.
        files: Names and bytes.
    """

    name: str
    revision: str
    files: tuple[tuple[str, int], ...]

    @property
    def bytes(self) -> int:
        """Of all files together."""
        return sum(size for _, size in self.files)


def cached(name: str) -> Path | None:
    """The folder of a model that was fetched before; None where it is not here. Reaches no network."""
    from huggingface_hub import snapshot_download  # noqa: PLC0415 - takes a moment to import
    from huggingface_hub.errors import LocalEntryNotFoundError  # noqa: PLC0415

    _require_name(name)
    try:
        folder = Path(snapshot_download(name, allow_patterns=list(PATTERNS), local_files_only=True))
    except (LocalEntryNotFoundError, OSError, ValueError):
        return None
    return folder if list(folder.glob("*.safetensors")) else None


def plan(name: str) -> Plan:
    """What fetching a model would take.

    Raises:
        PlaygroundError: It has no weights in safetensors, is too large, or the hub cannot be reached.
    """
    from huggingface_hub import HfApi  # noqa: PLC0415 - see cached

    _require_name(name)
    try:
        info: Any = HfApi().model_info(name, files_metadata=True, timeout=15)
    except Exception as error:  # the library raises whatever its HTTP client does
        raise PlaygroundError(_explain(name, error)) from error
    files = [
        (str(file.rfilename), int(file.size or 0)) for file in info.siblings or [] if _is_fetched(str(file.rfilename))
    ]
    if not any(file.endswith(".safetensors") for file, _ in files):
        raise PlaygroundError(f"{name} has no weights in safetensors; a pickle is never read. Nothing was fetched.")
    result = Plan(name, str(info.sha), tuple(files))
    if result.bytes > MAX_BYTES:
        raise PlaygroundError(
            f"{name} has {result.bytes / 1024**3:.1f} GB of files; at most {MAX_BYTES / 1024**3:.0f} GB are fetched."
        )
    return result


def fetch(plan: Plan, progress: Callable[[float], None] = lambda share: None) -> Path:
    """Fetch a model into the hub's own cache.

    Args:
        plan: What to fetch.
        progress: Called with the share of all bytes that is here, 0 to 1.

    Raises:
        PlaygroundError: It could not be fetched; what came so far is kept, and the next try goes on from there.
    """
    from huggingface_hub import hf_hub_download  # noqa: PLC0415 - see cached

    done = 0
    folder: Path | None = None
    try:
        for file, size in plan.files:
            with _counted(plan.bytes, done, progress) as bar:
                file_path = hf_hub_download(plan.name, file, revision=plan.revision, tqdm_class=bar)
            done += size
            progress(done / max(plan.bytes, 1))
            folder = Path(file_path).parent
    except Exception as error:
        raise PlaygroundError(_explain(plan.name, error)) from error
    assert folder is not None  # noqa: S101 - a plan has files
    return folder


@contextmanager
def _counted(total: int, before: int, progress: Callable[[float], None]) -> Iterator[Any]:
    """A class of progress bars, as the library wants one, that draws nothing and tells the share of all files."""
    from tqdm.auto import tqdm  # noqa: PLC0415 - see cached

    lock = threading.Lock()

    class Quiet(tqdm):  # type: ignore[misc]
        def __init__(self, *args: Any, **values: Any) -> None:
            values.pop("name", None)
            super().__init__(*args, **{**values, "disable": True})
            self._done = int(values.get("initial") or 0)

        def update(self, n: float | None = 1) -> bool | None:
            with lock:
                self._done += int(n or 0)
                progress(min(1.0, (before + self._done) / max(total, 1)))
            return None

    yield Quiet


def _is_fetched(file: str) -> bool:
    return "/" not in file and any(Path(file).match(pattern) for pattern in PATTERNS)


def _require_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise PlaygroundError(f"{name[:80]!r} is no name of a model on the hub; one looks like OWNER/NAME.")


def _explain(name: str, error: Exception) -> str:
    reason = next(iter(str(error).strip().splitlines()), type(error).__name__)[:200]
    return f"The hub did not give {name} ({reason}). Offline? Download it where there is a network and name its folder."
