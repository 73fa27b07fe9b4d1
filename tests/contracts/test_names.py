"""Rules about names and sizes: no filler words as identifiers, modules under 300 lines, at most 12 modules a folder.

python -m tests.contracts.test_names     # prints what breaks the rules, and counts by package
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import paths

PACKAGES = ("db", "engine", "dashboard", "tests")
BANNED = {
    "told",
    "found",
    "wanted",
    "said",
    "one",
    "most",
    "given",
    "here",
    "there",
    "at",
    "asked",
    "kept",
    "place",
    "further",
    "beside",
    "twins",
    "desk",
    "door",
    "sheet",
    "room",
    "lean",
    "glance",
    "drawn",
    "standing",
    "reading",
}
"""Words that do not name what a value is."""

MAX_LINES, MAX_MODULES = 300, 12

LARGE_FOLDERS = {"tests/factories": 17}
"""Folders that are left above the limit of modules; none of the product."""

FILES = sorted(file for package in PACKAGES for file in (paths.REPO / package).rglob("*.py"))


def bindings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Lines and names of the variables, parameters, attributes, functions, classes and aliases that code binds."""
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield line, name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield line, name
            case ast.alias(asname=str(name)) | ast.ExceptHandler(name=str(name)):
                yield line, name
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                yield line, name


def banned(file: Path) -> list[str]:
    """Banned names that a file binds, with their lines; underscores and case make no difference."""
    where = file.relative_to(paths.REPO)
    names = bindings(ast.parse(file.read_text("utf-8")))
    return [f"{where}:{line}: {name}" for line, name in names if name.strip("_").lower() in BANNED]


@pytest.mark.parametrize("package", PACKAGES)
def test_no_filler_word_names_a_value(package: str) -> None:
    """Variables, parameters, attributes, functions and classes are named after what they are."""
    problems = [line for file in FILES if file.is_relative_to(paths.REPO / package) for line in banned(file)]
    assert problems == []


def test_modules_are_short() -> None:
    """Each has fewer than 300 lines."""
    lengths = {str(file.relative_to(paths.REPO)): len(file.read_text("utf-8").splitlines()) for file in FILES}
    long = {file: length for file, length in lengths.items() if length >= MAX_LINES}
    assert long == {}


def test_folders_are_small() -> None:
    """No folder holds more than 12 modules, but for one of the tests."""
    counts = Counter(str(file.parent.relative_to(paths.REPO)) for file in FILES if file.name != "__init__.py")
    large = {folder: count for folder, count in counts.items() if count > LARGE_FOLDERS.get(folder, MAX_MODULES)}
    assert large == {}


def test_the_formatter_has_no_exceptions() -> None:
    """No line or block keeps a layout of its own."""
    comment = re.compile(r"#\s*fmt:\s*(skip|off)")
    assert [str(file) for file in FILES if comment.search(file.read_text("utf-8"))] == []


if __name__ == "__main__":
    names_by_file = {file: banned(file) for file in FILES}
    print("\n".join(line for lines in names_by_file.values() for line in lines))
    for package in PACKAGES:
        folder = paths.REPO / package
        counts = Counter(
            line.rpartition(" ")[2].strip("_").lower()
            for file, lines in names_by_file.items()
            if file.is_relative_to(folder)
            for line in lines
        )
        print(f"{package}: {counts.total()} banned names: {dict(counts.most_common(8))}")
