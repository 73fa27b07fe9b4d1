"""Commands that the texts name beside a figure give that figure, on a database as `featherboard db init` makes it."""

import re
import shutil
from pathlib import Path

import pytest

from db.storage.store import Store
from tests import paths
from tests.factories.command_line import CommandLine
from tests.simulations import boards

FILES = (paths.REPO / "README.md", paths.REPO / "docs" / "results.md", paths.REPO / "docs" / "statistics.md")
TEXTS = {file.name: file.read_text("utf-8") for file in FILES}
SIMULATION = "python -m tests.simulations.boards "

NOT_RUN = {
    "featherboard train": "trains for minutes to hours, most on data that do not come along",
    "featherboard sweep": "trains for hours",
    "featherboard pretrain": "trains for hours on data that do not come along",
    "featherboard evaluate": "reads the official files (the slow test below), or times this machine",
    "featherboard ask": "reads the official files",
    "featherboard predict": "has a speed beside it, or no figure",
    "featherboard list": "has no figure beside it",
    "featherboard task": "has no figure beside it",
    "featherboard submit": "has no figure beside it",
    "featherboard publish-site": "has no figure beside it",
    "python -m pytest tests/benchmarks": "times this machine",
}
"""Beginnings of commands that are named and not run, with the reason."""


def _commands(text: str) -> list[str]:
    spans = re.findall(r"`((?:featherboard|python -m) [^`]+)`", text)
    lines = re.findall(
        r"^ *(featherboard [a-z][^#\n]*)", "\n".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL)), re.M
    )
    return [" ".join(command.split()) for command in (*spans, *lines)]


COMMANDS = [(name, command) for name, text in TEXTS.items() for command in _commands(text)]
COMPARED = [(name, command) for name, command in COMMANDS if command.startswith("featherboard compare ")]
SIMULATED = [(name, command) for name, command in COMMANDS if command.startswith(SIMULATION)]


def test_each_command_is_run_or_has_a_reason() -> None:
    """A command that is new in the texts is run here, or says why not."""
    assert COMPARED
    assert SIMULATED
    left = [pair for pair in COMMANDS if pair not in COMPARED + SIMULATED and not pair[1].startswith(tuple(NOT_RUN))]
    assert not left


@pytest.mark.shipped
@pytest.mark.parametrize(("name", "command"), COMPARED)
def test_a_comparison_prints_the_figures_of_its_sentence(
    name: str, command: str, with_shipped_runs: Path, tmp_path: Path, command_line: CommandLine, monkeypatch
) -> None:
    """Differences, ends of intervals and p-values."""
    database = shutil.copyfile(with_shipped_runs, tmp_path / "fresh.duckdb")
    monkeypatch.setenv("FEATHERBOARD_DB", str(database))
    after = " ".join(TEXTS[name].split()).split(f"`{command}`")[1]
    figures = re.findall(r"[+-]?\d+\.\d+", re.split(r"\.\s", after)[0].replace("\N{MINUS SIGN}", "-"))
    assert figures
    result = command_line(*command.split()[1:])
    assert result.code == 0
    assert set(figures) <= set(re.findall(r"[+-]?\d+\.\d+", result.out.replace("\N{MINUS SIGN}", "-"))), result.out


@pytest.mark.parametrize(
    ("name", "command"),
    [
        pytest.param(*pair, marks=[pytest.mark.slow] * (not pair[1].endswith("ablation")), id=pair[1].split()[-1])
        for pair in SIMULATED
    ],
)
def test_a_simulation_prints_the_table_of_the_page(name: str, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every row of figures that it prints is on the page."""
    boards.main(command.removeprefix(SIMULATION))
    rows = [line for line in capsys.readouterr().out.splitlines() if re.search(r"\d\.\d \|$", line)]
    assert rows
    assert [row for row in rows if row not in TEXTS[name]] == []


@pytest.mark.slow
@pytest.mark.timeout(7200)  # 10,570 questions by one thread in single precision: 20 minutes and more
@pytest.mark.parametrize(
    ("model", "data", "sentence"),
    [
        ("minilm-squad", "squad", r"has F1 ([\d.]+) and exact match ([\d.]+) \(`featherboard evaluate minilm-squad"),
        ("distilkobilstm-base", "nsmc", r"each with a card\): Base ([\d.]+), Small"),
        ("distilkobilstm-small", "nsmc", r"each with a card\): Base [\d.]+, Small ([\d.]+)"),
        ("distilkobilstm-mini", "nsmc", r"each with a card\): .* Mini ([\d.]+) and"),
        ("distilkobilstm-tiny", "nsmc", r"each with a card\): .* and Tiny ([\d.]+) percent"),
    ],
)
def test_a_shipped_checkpoint_scores_what_the_page_says(
    model: str, data: str, sentence: str, default_board: Store, command_line: CommandLine
) -> None:
    """`featherboard evaluate MODEL --data DIR --threads 1` on the whole official split."""
    folder = paths.SHARED / "data" / data
    if not folder.is_dir():
        pytest.skip(f"{folder} is not here")
    printed = re.search(sentence, " ".join(TEXTS["results.md"].split()))
    assert printed
    result = command_line("evaluate", model, "--data", folder, "--threads", "1")
    assert result.code == 0
    assert set(printed.groups()) <= set(re.findall(r"\d+\.\d+", result.out + result.err)), result.err
