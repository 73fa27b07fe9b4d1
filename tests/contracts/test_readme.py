"""The README and the pages in docs/ name everything that a user can type or set."""

import re
import tomllib
from collections.abc import Iterator

import pytest
import typer

from engine.cli.app import app
from engine.recipes import loader
from tests import paths

ROOT = paths.REPO
README = (ROOT / "README.md").read_text("utf-8")
PAGES = {path.name: path.read_text("utf-8") for path in sorted((ROOT / "docs").glob("*.md"))}
DOCS = "\n".join([README, *PAGES.values()])
SOURCES = [path for folder in ("db", "engine", "dashboard") for path in (ROOT / folder).rglob("*.py")]


def _commands(group: object, prefix: str) -> Iterator[str]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, f"{prefix} {name}")
        else:
            yield f"{prefix} {name}"


@pytest.mark.parametrize("command", list(_commands(typer.main.get_command(app), "featherboard")))
def test_every_command_is_documented(command):
    """The table of commands has each of them."""
    assert f"`{command}" in PAGES["serving.md"], f"{command} is missing from the table of commands in docs/serving.md"


def test_every_environment_variable_is_documented():
    """A variable of ours that the code reads is explained."""
    variables = {name for path in SOURCES for name in re.findall(r"\bFEATHERBOARD_[A-Z_]+\b", path.read_text("utf-8"))}
    assert variables, "no variable was found: the search is wrong"
    missing = sorted(name for name in variables if f"`{name}`" not in DOCS)
    assert not missing, f"neither in the README nor in docs/: {missing}"


@pytest.mark.parametrize("name", loader.names())
def test_every_recipe_is_documented(name):
    """A shipped recipe is named."""
    assert f"`{name}`" in PAGES["recipes.md"]


def test_the_recipes_of_the_documents_can_be_found():
    """There are too many of them to name, so the page names an example, the list that shows all, and their file."""
    page = PAGES["recipes.md"]
    assert any(f"`{name}`" in page for name in loader.document_names())
    assert "`featherboard list recipes`" in " ".join(page.split())
    assert "`engine/recipes/documents.toml`" in page


def test_a_stranger_finds_the_start_at_once():
    """The README is short, pictures come first, and `git clone` and `make run` are its first commands."""
    assert len(README.splitlines()) <= 150
    start = README.index("```")
    assert "docs/images/" in README[:start]
    first = README[start : README.index("```", start + 3)]
    assert "git clone" in first
    assert "make run" in first
    assert "make test" in README


def test_every_make_target_is_documented():
    """A target of the Makefile is named."""
    targets = re.search(r"^\.PHONY: (.+)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert targets
    for target in targets.group(1).split():
        assert re.search(rf"\bmake [a-z -]*\b{target}\b", DOCS), target


@pytest.mark.parametrize("name", ["README.md", *PAGES])
def test_links_and_paths_lead_somewhere(name):
    """Every relative link of a page, and every path of the repository that it prints, exists."""
    page = ROOT / name if name == "README.md" else ROOT / "docs" / name
    text = page.read_text("utf-8")
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in link]
    assert [link for link in links if not (page.parent / link).exists()] == []
    paths = re.findall(r"`((?:db|engine|dashboard|tests|docs)/[\w./-]+)`", text)
    assert [path for path in paths if "..." not in path and "NAME" not in path and not (ROOT / path).exists()] == []


def test_the_container_is_built_by_commands_that_exist():
    """Extras and options that the container file names are those of the package and of its command."""
    text = (ROOT / "Containerfile").read_text("utf-8")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    (named,) = re.findall(r"-e \"\.\[([\w,]+)\]\"", text)
    assert set(named.split(",")) <= set(extras)
    (served,) = re.findall(r"featherboard serve ([^\"]+)", text)
    options = {
        option for parameter in typer.main.get_command(app).commands["serve"].params for option in parameter.opts
    }
    assert set(re.findall(r"--[a-z]+", served)) <= options


def test_the_help_and_the_docs_agree_on_the_memory_of_a_preloaded_playground() -> None:
    """What preloading takes is what a server without it saves."""
    options = {option.name: option for option in typer.main.get_command(app).commands["serve"].params}
    texts = "\n".join([options["preload"].help, DOCS])
    figures = re.findall(r"(?:takes|saves) some (\d+) MB", texts)
    assert len(figures) > 1
    assert len(set(figures)) == 1


def test_every_page_is_linked():
    """The README leads to each page of docs/."""
    assert [name for name in PAGES if f"](docs/{name})" not in README] == []


def test_figures_of_the_readme_are_those_of_the_results():
    """The README quotes docs/results.md, which is held to the shipped database; it has no figures of its own."""
    results = README[README.index("## Results so far") : README.index("## Documentation")]
    quoted = re.findall(r"\d+\.\d{2}|\d+,\d{3}", results)
    assert quoted
    assert [figure for figure in quoted if figure not in PAGES["results.md"]] == []
