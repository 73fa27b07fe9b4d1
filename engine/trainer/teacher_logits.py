"""Keep a teacher's logits on disk, so that all students of one teacher on the same examples cost one pass.

A file is named by the hash of the teacher's weights and that of the examples.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from db.base.atomic import atomic_write
from engine.base.errors import CheckpointError


def cached(
    cache: Path,
    teacher: str,
    examples: str,
    rows: int,
    compute: Callable[[], torch.Tensor],
    facts: Mapping[str, str] | None = None,
) -> torch.Tensor:
    """Read a teacher's logits from the cache, or compute and keep them.

    Args:
        cache: Folder of results that can be computed again.
        teacher: SHA-256 of the teacher.
        examples: SHA-256 of the examples.
        rows: The first dimension that the logits must have.
        compute: Gives the logits.
        facts: Kept in the file, and required of it.

    Raises:
        CheckpointError: A file of the right name is damaged, or does not hold the logits of these examples.
    """
    file = cache / "teacher" / f"{teacher[:24]}-{examples[:24]}.safetensors"
    again = "Delete it; it is computed again."
    if not file.is_file():
        logits = compute()
        with atomic_write(file) as part:
            save_file({"logits": logits}, part, metadata=dict(facts) if facts else None)
        return logits
    try:
        with safe_open(file, "pt") as opened:
            metadata, logits = opened.metadata() or {}, torch.as_tensor(opened.get_tensor("logits"))
    except (SafetensorError, OSError, KeyError) as error:
        raise CheckpointError(f"{file}: cannot be read ({error}). {again}") from error
    if facts and metadata != facts:
        raise CheckpointError(f"{file}: made by another teacher or for other texts. {again}")
    if logits.shape[0] != rows:
        raise CheckpointError(f"{file}: holds {logits.shape[0]} rows for {rows} examples. {again}")
    return logits
