"""The held-out part of a training split, which chooses the weights: a property of each text, and of nothing else.

A text is held out where its position, a hash of its normalised form as a fraction of 1, is below the fraction held out.
So every seed, recipe, ensemble member and teacher holds out the same texts, whatever else their training splits hold.
"""

import hashlib
import re
import unicodedata
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_HASH_BYTES = 8


def normal(text: str) -> str:
    """Return a text's words in lower case: copies that differ in spaces, stops or case are one text."""
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(words) or text.strip()


def position(text: str) -> float:
    """Return the position of a text between 0 and 1, by the hash of its normalised form."""
    digest = hashlib.blake2b(normal(text).encode("utf-8", "surrogatepass"), digest_size=_HASH_BYTES).digest()
    return float(int.from_bytes(digest, "big") / 256**_HASH_BYTES)


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
