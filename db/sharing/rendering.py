"""The XML templates of this package, with every text from outside escaped."""

import re
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

# XML 1.0 has no sign for most control characters, not even escaped.
_NOT_XML = re.compile(r"[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("db.sharing"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", value) if type(value) is str else value,
    )


def render(name: str, **values: Any) -> str:
    """Fill in a template of the folder ``templates``."""
    return _environment().get_template(name).render(**values)
