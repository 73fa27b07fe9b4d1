"""The examples of `import featherboard as fb`, in docstrings, docs/logging.md and a notebook, run as printed."""

import doctest
import json
import re
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from db.storage.store import Store
from db.tracking import boards, start
from tests import paths

BLOCKS = re.findall(r"```python\n(.*?)```", (paths.REPO / "docs" / "logging.md").read_text("utf-8"), re.DOTALL)


@pytest.mark.parametrize("module", [start, boards], ids=["start", "boards"])
def test_docstring_examples_give_what_they_print(module: ModuleType, default_board: Store) -> None:
    """On a database with the shipped rows."""
    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert result.attempted
    assert not result.failed


def test_the_page_about_logging_runs(default_board: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first block logs a run, its block about reading back reads it; only the reader's own names are made up."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").mkdir()
    pd.DataFrame({"example_id": ["1", "2"], "predicted": ["0", "1"]}).to_csv("predictions.csv", index=False)
    weights = SimpleNamespace(numel=lambda: 10)
    names: dict[str, object] = {
        "model": SimpleNamespace(parameters=lambda: [weights, weights]),
        "batches": range(3),
        "train_step": lambda batch: 1.0 / (1 + batch),
    }
    first, read_back = BLOCKS[0], next(block for block in BLOCKS if "to_pandas" in block)
    exec(first, names)  # noqa: S102 - the block that readers copy
    exec(read_back, names)  # noqa: S102
    assert names["detail"].model["params"] == 20  # type: ignore[attr-defined]
    assert names["detail"].curves["series"].unique().tolist() == ["train/loss"]  # type: ignore[attr-defined]
    assert len(names["table"])  # type: ignore[arg-type]


def test_the_notebook_logs_reads_back_and_compares(default_board: Store) -> None:
    """All of its cells in one namespace, as Jupyter runs them; no kernel is needed for plain Python."""
    notebook = json.loads((paths.REPO / "docs" / "two-classifiers.ipynb").read_text("utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    names: dict[str, Any] = {}
    for cell in cells:
        exec(cell, names)  # noqa: S102 - the cells that readers run
    mine = names["board"].set_index("model").loc[["notebook-sgd", "notebook-bayes"]]
    assert mine["verified"].all()
    assert mine["score"].min() > 0.55
    assert list(names["details"].curves["step"]) == [1, 2, 3, 4, 5]
    assert names["comparison"]["p"].between(0, 1).all()
    assert not any(cell.get("outputs") for cell in notebook["cells"])
