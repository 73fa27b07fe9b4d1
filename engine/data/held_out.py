"""The held-out part of a training split, which chooses the weights: a property of each text, and of nothing else.

A text is held out where its position, a hash of its normalised form as a fraction of 1, is below the fraction held out.
So every seed, recipe, ensemble member and teacher holds out the same texts, whatever else their training splits hold.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from db.registry.text_split import normal, position

__all__ = ["mask", "normal", "position"]


def mask(texts: Sequence[str], fraction: float) -> NDArray[np.bool_]:
    """Mark the texts that are held out.

    Of a split so small that none or all would be, the lowest position is held out and the highest is learned from.

    Args:
        texts: What decides for each example; equal ones share a side.
        fraction: Held out of all possible texts.

    Returns:
        Shape (texts,).
    """
    of_text = {text: position(text) for text in dict.fromkeys(texts)}
    positions = np.array([of_text[text] for text in texts])
    held = positions < fraction
    if len(positions) and not held.any():
        held = positions == positions.min()
    elif held.all() and len(set(of_text.values())) > 1:
        held = positions < positions.max()
    return np.asarray(held)
