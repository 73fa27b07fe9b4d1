"""Parts of a set of texts that each text's hash decides, whatever else the set holds."""

import hashlib
import re
import unicodedata

_HASH_BYTES = 8
_TEST = b"test"


def normal(text: str) -> str:
    """Return a text's words in lower case: copies that differ in spaces, stops or case are one text."""
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(words) or text.strip()


def position(text: str, part: bytes = b"") -> float:
    """Return the position of a text between 0 and 1, by the hash of its normalised form.

    Args:
        text: The text.
        part: What is divided; positions for different parts are independent. At most 16 bytes.
    """
    data = normal(text).encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(data, digest_size=_HASH_BYTES, person=part).digest()
    return float(int.from_bytes(digest, "big") / 256**_HASH_BYTES)


def in_test(text: str, fraction: float) -> bool:
    """Whether a text belongs to the test split of a task with ``data.test_fraction``.

    It says nothing about whether the text would be held out of the training split for validation.
    """
    return position(text, _TEST) < fraction
