"""The measured runs that come with the project: whole, verified, and without text of a data set."""

import json
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

import engine
from db.bootstrap import create, integrity
from db.registry import tasks
from db.registry.tasks import Task
from db.runs import bundles, gold_labels, rescoring
from db.runs import detail as queries
from db.statistics import qa_scoring
from db.storage import changes, seals
from db.storage.store import Store
from engine.networks import sources
from tests.factories.runs import leaderboard

GRID = "distilkobilstm-small-grid"
"""Its runs come without answers, which would double the database of a new installation."""

pytestmark = pytest.mark.shipped


def test_a_fresh_database_is_whole(shipped: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reported and shipped runs together pass the check; that the package's rows are its own is asked below."""
    monkeypatch.setattr(integrity, "_packaged", lambda _: pd.DataFrame(columns=["run_id", "part", "digest"]))
    assert integrity.check(shipped) == []


def test_every_bundle_is_in_it(shipped: Store) -> None:
    """Every bundle that comes with Featherboard went in, and each holds measured runs only."""
    sources = dict(shipped.query("SELECT run_id, source FROM runs").itertuples(index=False, name=None))
    content = bundles.shipped()
    assert content
    for name, packed in content:
        (runs,) = (change.rows for change in changes.unpack(packed, "run bundle", name) if change.table == "runs")
        assert len(runs)
        assert {sources.get(run_id) for run_id in runs["run_id"]} == {"measured"}, name


def test_making_it_twice_adds_nothing(shipped: Store) -> None:
    """A second `db init` finds every run there already, as it is made."""
    with shipped.read() as con:
        before = seals.digests(con)
    again = create.initialise(shipped)
    assert again.runs_after == again.runs_before
    with shipped.read() as con:
        after = seals.digests(con)
    pd.testing.assert_frame_equal(
        *(digests.sort_values(["run_id", "part"], ignore_index=True) for digests in (before, after))
    )


def _follows(task: Task, predictions: pd.DataFrame, figures: dict[str, float]) -> bool:
    """Whether figures follow from predictions, or where answers are withheld from the scores that came with them."""
    if not predictions["predicted"].fillna("").map(qa_scoring.is_withheld).any():
        return rescoring.agrees(task, predictions, figures)
    names = ("f1", "em") if task.metric == "f1" else ("f1_seed", "em_seed")
    means = predictions[list(names)].mean()
    whole = bool(predictions[list(names)].notna().to_numpy().all())
    answers, golds = predictions["predicted"].fillna(""), predictions["gold"].map(qa_scoring.unpack)
    exact = [answer in gold for answer, gold in zip(answers, golds, strict=True)]
    return (
        whole
        and (task.metric != "f1" or predictions["em"].tolist() == exact)
        and gold_labels.are_those(task, predictions)
        and all(abs(figures[name] - means[name]) <= rescoring.TOLERANCE for name in names)
    )


def test_badges_of_the_package_are_earned(shipped: Store) -> None:
    """A new database takes them as they come; here each is scored again, and no run that could have one lacks it."""
    runs = shipped.query("SELECT run_id, task_id, split, verified FROM runs WHERE source = 'measured'")
    earned = {}
    with shipped.read() as con:
        for run_id, task_id, split in runs[["run_id", "task_id", "split"]].itertuples(index=False):
            task = tasks.by_id(task_id)
            rows = con.execute("SELECT * FROM predictions WHERE run_id = ?", [run_id]).df()
            figures = dict(con.execute("SELECT name, value FROM metrics WHERE run_id = ?", [run_id]).fetchall())
            earned[run_id] = split == task.split and len(rows) > 0 and _follows(task, rows, figures)
    assert earned == dict(runs[["run_id", "verified"]].itertuples(index=False, name=None))


def test_shipped_runs_are_verified_with_curves_and_a_command(shipped: Store) -> None:
    """Each was scored again from all 50,000 predictions here, has curves, parameters and a command, and no host."""
    rows = leaderboard(shipped, "nsmc")
    rows = rows[(rows["source"] == "measured") & (rows["recipe"] != GRID)]
    assert {"kobilstm-tiny", "distilkobilstm-tiny"} <= set(rows["model_id"])
    for run_id in rows["run_id"]:
        detail = queries.run_detail(shipped, run_id)
        assert detail.run["verified"], detail.run["name"]
        assert detail.run["command"].startswith("featherboard train ")
        assert detail.run["host"] is None
        if detail.model["architecture"] == "bilstm":
            assert {"train_loss", "validation_loss", "validation_accuracy"} <= set(detail.curves["series"])
        assert detail.confusion.to_numpy().sum() == 50_000


@pytest.mark.parametrize(
    ("task", "runs"),
    [
        ("nsmc", 45),
        ("sentineg", 12),
        ("ynat", 9),
        ("klue-nli", 12),
        ("mnli", 46),
        ("snli", 9),
        ("breaking-nli", 9),
        ("squad", 16),
        ("squad-deck", 1),
        ("korquad-articles", 22),
    ],
)
def test_every_shipped_run_of_an_official_split_has_its_badge(shipped: Store, task: str, runs: int) -> None:
    """Also where answers are withheld: the F1 and exact match of each answer came along."""
    rows = leaderboard(shipped, task)
    rows = rows[(rows["source"] == "measured") & (rows["status"] == "finished") & (rows["recipe"] != GRID)]
    assert rows["verified"].all(), rows.loc[~rows["verified"], "name"].tolist()
    assert len(rows) == runs


def test_no_shipped_run_holds_text_of_a_data_set(shipped: Store) -> None:
    """Answers cut from texts only stand for themselves; no hidden word is there."""
    rows = shipped.query(
        """
        SELECT DISTINCT p.gold, p.predicted FROM predictions p JOIN runs r USING (run_id)
        WHERE r.source = 'measured' AND r.task_id IN ('squad', 'korquad-articles')
        """
    )
    assert len(rows)
    assert all(qa_scoring.is_withheld(answer) for gold in rows["gold"] for answer in qa_scoring.unpack(gold))
    assert all(answer == "" or qa_scoring.is_withheld(answer) for answer in rows["predicted"])
    words = shipped.query("SELECT count(*) AS n FROM predictions JOIN runs USING (run_id) WHERE task_id LIKE '%-text'")
    assert words["n"].tolist() == [0]


def test_the_shipped_adapter_is_its_run(shipped: Store) -> None:
    """Its card agrees with the score of the run that it names, up to what half precision moves."""
    card = Path(engine.__file__).parent / "pretrained" / "minilm-mnli" / "card.json"
    about = json.loads(card.read_text("utf-8"))["about"]
    rows = leaderboard(shipped, "mnli").set_index("run_id")
    assert about["metrics"]["accuracy"]["value"] == pytest.approx(rows.loc[about["run"], "score"], abs=1e-3)


def test_who_starts_from_a_packaged_encoder_says_what_its_authors_trained_it_on(shipped: Store) -> None:
    """Also where it learned inference, of which the encoder's authors had pairs."""
    rows = shipped.query("SELECT run_id, recipe_json, notes FROM runs WHERE recipe_json LIKE '%\"source\":%'")
    noted = 0
    for row in rows.itertuples(index=False):
        model = json.loads(row.recipe_json)["model"]
        for note in sources.notes(SimpleNamespace(**model)) if isinstance(model, dict) else ():
            assert note in row.notes, row.run_id
            noted += 1
    assert noted > 20
