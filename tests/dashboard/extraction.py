"""How ``make messages`` and the test of the catalogue find the texts of the pages; named in ``tool.babel``.

Babel's own extractor reads tokens, and up to Python 3.11 an f-string is one token: a call inside it would be missed.
"""

import ast
from collections.abc import Iterator
from typing import Any, BinaryIO

from db.registry.metrics import METRICS
from db.registry.validation_split import CHOSEN_BY_SEED, TEACHER_HAD_LEARNED

Message = tuple[int, str, Any, list[str]]


def python(fileobj: BinaryIO, keywords: Any, comment_tags: Any, options: Any) -> Iterator[Message]:
    """Yield the literal arguments of every call of a gettext function in a Python file."""
    for node in ast.walk(ast.parse(fileobj.read())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in keywords:
            values = [value.value if isinstance(value, ast.Constant) else None for value in node.args]
            texts = tuple(value if isinstance(value, str) else None for value in values)
            if texts and texts[0] is not None:
                yield node.lineno, node.func.id, texts if len(texts) > 1 else texts[0], []


def registry(fileobj: BinaryIO, keywords: Any, comment_tags: Any, options: Any) -> Iterator[Message]:
    """Yield the labels and explanations of metrics, and what is said of runs; tasks carry their Korean words."""
    for text in (TEACHER_HAD_LEARNED, CHOSEN_BY_SEED):
        yield 1, "_", text, []
    for metric in METRICS.values():
        yield from ((1, "_", text, []) for text in (metric.label, metric.help))
