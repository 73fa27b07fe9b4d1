"""YAML from strangers, read under limits: plain values as JSON has them, no tags, hardly any aliases."""

import re
from typing import Any

import yaml

from db.importers import safe_json
from db.importers.safe_json import FileError, quoted, shown

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # PyYAML was built without libyaml
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]

_BYTES = 1024 * 1024
_EVENTS = 100_000
# Lists of aliases of lists of aliases grow as a power; with so few the power stays small.
_ALIASES = 8


class _Strict(_Loader):
    """Keys are texts that stand once; there are no merge keys."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - PyYAML's own shape

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        """The dict of a node, with each key's own spelling."""
        made: dict[Any, Any] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(problem="a key that is no text", problem_mark=key.start_mark)
            if key.value in made:
                twice = f"the key {quoted(key.value)} stands twice; keep one"
                raise yaml.constructor.ConstructorError(problem=twice, problem_mark=key.start_mark)
            made[key.value] = self.construct_object(value, deep=True)
        return made


# The core schema of YAML 1.2, in which "no" is a language and not False, and a date is a text.
for _tag, _pattern, _first in (
    ("bool", "true|True|TRUE|false|False|FALSE", [*"tTfF"]),
    ("int", r"[-+]?(?:0|[1-9][0-9]{0,29})", [*"-+0123456789"]),
    (
        "float",
        r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?"
        r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
        [*"-+0123456789."],
    ),
    ("null", "~|null|Null|NULL|", [*"~nN", ""]),
):
    _Strict.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), _first)


def yaml_value(name: str, words: str, first_line: int = 1) -> Any:
    """The value of a YAML text of one document.

    Raises:
        SubmissionError: It is no YAML; it has a tag, too many aliases, a key twice, or what ``safe.checked`` refuses.
    """
    if len(words) > _BYTES:
        raise FileError(name, "", f"the YAML has {len(words):,} characters; {_BYTES:,} are read.")
    try:
        _look_through(name, words, first_line)
        value = yaml.load(words, Loader=_Strict)  # noqa: S506 - a subclass of the safe loader
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        location = f"line {mark.line + first_line}" if mark is not None else ""
        problem = shown(getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable", 120)
        raise FileError(
            name, location, f"no YAML that is taken ({problem}); correct it and send the file again."
        ) from None
    except RecursionError:
        raise FileError(name, "", f"the YAML lies more than {safe_json.DEPTH} levels deep in itself.") from None
    return safe_json.checked(name, value)


def _look_through(name: str, words: str, first_line: int) -> None:
    """Refuse what must not be built, before anything is."""
    depth = aliases = documents = 0
    for number, event in enumerate(yaml.parse(words, Loader=_Strict)):
        location = f"line {event.start_mark.line + first_line}" if event.start_mark else ""
        tag = getattr(event, "tag", None)
        if tag is not None:
            raise FileError(name, location, f"the YAML tag {quoted(tag)}; tags are not taken, remove it.")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        aliases += isinstance(event, yaml.AliasEvent)
        documents += isinstance(event, yaml.DocumentStartEvent)
        if depth > safe_json.DEPTH:
            raise FileError(name, location, f"the YAML lies more than {safe_json.DEPTH} levels deep in itself.")
        if aliases > _ALIASES:
            raise FileError(name, location, f"more than {_ALIASES} aliases (*name); write the values out.")
        if documents > 1:
            raise FileError(name, location, "a second YAML document; send one.")
        if number > _EVENTS:
            raise FileError(name, location, f"more than {_EVENTS:,} values of YAML.")
