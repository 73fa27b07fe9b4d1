"""What a teacher of question answering says of its student's training windows, computed once and kept."""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer

from db.base.atomic import atomic_write
from engine.base import device
from engine.base.errors import CheckpointError, RecipeError
from engine.base.progress import Bar
from engine.families.span_qa.answerer import Answerer
from engine.families.span_qa.windows import Window


def logits(
    teacher: Answerer,
    tokenizer: Tokenizer,
    windows: Sequence[Window],
    cache: Path,
    tick: Callable[[], None] = lambda: None,
) -> list[NDArray[np.float16]]:
    """The teacher's start and end logits on each window, shape (tokens, 2), from the cache or computed with progress.

    Args:
        teacher: A model of question answering.
        tokenizer: Of the student, whose windows these are.
        windows: The student's training windows.
        cache: A folder.
        tick: Called after every batch.

    Raises:
        RecipeError: The teacher has another vocabulary: its logits would be those of other words.
        CheckpointError: The cache is damaged.
    """
    if teacher.tokenizer.get_vocab() != tokenizer.get_vocab():
        raise RecipeError(
            f"distill.teacher: {teacher.recipe.name} has another vocabulary than its student; take its like."
        )
    digest = hashlib.sha256(b"".join(window.ids.tobytes() + window.types.tobytes() for window in windows)).hexdigest()
    file = cache / "teacher" / f"{teacher.sha256[:24]}-{digest[:24]}.safetensors"
    cuts = np.cumsum([len(window.ids) for window in windows])[:-1]
    if file.is_file():
        try:
            return np.split(load_file(file)["logits"], cuts)
        except (SafetensorError, OSError, KeyError) as error:
            raise CheckpointError(f"{file}: cannot be read ({error}). Delete it; it is computed again.") from error
    teacher.model.to(device.best())
    with Bar(f"teacher {teacher.recipe.label}", len(windows)) as bar:

        def moved(count: int) -> None:
            bar.advance(count)
            tick()

        flat = np.concatenate(teacher.logits(windows, moved)).astype(np.float16)
    with atomic_write(file) as part:
        save_file({"logits": flat}, part)
    return np.split(flat, cuts)
