"""Checkpoints of ours that answer without torch: BiLSTMs by NumPy, transformers by ONNX Runtime.

A transformer is exported once, by a process of its own that imports torch, and the export is kept in the user's cache
under a hash of the checkpoint. When exports take more than ``MOST_BYTES`` together, those that were used longest ago
go.
"""

import hashlib
import logging
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from db.base.paths import network_cache
from engine.base.progress import say
from engine.checkpoints.card import CARD, Card, read_arrays, read_card, read_tokenizer, require_shapes, require_whole
from engine.families.span_qa.answerer import Answerer
from engine.networks.classifier import Classifier, TokenClassifier
from engine.networks.runtimes import numpy_bilstm, onnx_runtime
from engine.recipes.schema import BiLSTMConfig, PretrainedConfig, SpanConfig

MOST_BYTES = 2 * 1024**3
EXPORT_S = 600.0
"""Seconds after which an export is given up; on two cores one takes some 15."""

_FORMAT = 1
"""Of exports: those of another number are not used."""

_LOG = logging.getLogger("featherboard.inference")


def load(folder: Path, threads: int | None = None, *, must: bool = False) -> Answerer | Classifier | None:
    """Read a checkpoint of ours; None where only torch can compute it.

    Args:
        folder: Of the checkpoint.
        threads: Processor threads of ONNX Runtime; None: as many as this process has cores.
        must: Refuse where ONNX Runtime is not installed.

    Raises:
        CheckpointError: It is damaged or a pickle.
        PrecisionError: ONNX Runtime is needed and not installed.
    """
    card = read_card(folder)
    if isinstance(card.recipe.model, BiLSTMConfig):
        weights = read_arrays(folder, card)
        require_shapes(folder, weights, numpy_bilstm.shapes(card.recipe.model))
        return TokenClassifier(card.recipe, card.sha256, numpy_bilstm.NumpyBiLSTM(weights), read_tokenizer(folder))
    if not isinstance(card.recipe.model, SpanConfig | PretrainedConfig):
        return None
    if must:
        onnx_runtime.require()
    if onnx_runtime.missing_packages():
        return None
    require_whole(folder, card)
    file = exported(folder, card)
    if file is None:
        return None
    if isinstance(card.recipe.model, SpanConfig):
        return Answerer(card.recipe, card.sha256, onnx_runtime.OnnxSpans(file, threads), read_tokenizer(folder))
    network = onnx_runtime.OnnxClassifier(file, threads)
    return TokenClassifier(card.recipe, card.sha256, network, read_tokenizer(folder))


def exported(folder: Path, card: Card) -> Path | None:
    """The export of a whole checkpoint, made where there is none; None where that fails, which is logged."""
    digest = hashlib.sha256(f"{_FORMAT} ".encode() + (folder / CARD).read_bytes()).hexdigest()[:32]
    file = network_cache() / f"{digest}.onnx"
    with suppress(OSError):
        os.utime(file)
        return file
    say(f"Preparing {card.recipe.label} for ONNX Runtime, once: some 20 seconds.")
    try:
        child = subprocess.run(
            [sys.executable, "-m", "engine.inference.loaders.export", str(folder), str(file)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=EXPORT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        _LOG.warning("%s could not be exported, and is computed by torch: %s", folder, error)
        return None
    if child.returncode or not file.is_file():
        reason = (child.stderr.strip().splitlines() or [f"exit status {child.returncode}"])[-1]
        _LOG.warning("%s could not be exported, and is computed by torch: %s", folder, reason)
        return None
    _make_room(file)
    return file


def _make_room(newest: Path) -> None:
    """Delete the exports that were used longest ago, but not the newest."""
    files = sorted(newest.parent.glob("*.onnx"), key=lambda file: file.stat().st_mtime, reverse=True)
    total = 0
    for file in files:
        total += file.stat().st_size
        if total > MOST_BYTES and file != newest:
            file.unlink(missing_ok=True)
