"""A run's model card: what it says, that it is the same every time, that text from outside stays text."""

import json

import pytest

from db.registry.citations import resolve
from db.runs import detail as queries
from db.runs import model_card
from db.runs.writer import Artifact, MetricValue, ModelFacts, RunWriter
from db.storage.store import Store
from tests.factories.runs import add_run, facts

EVIL = "a | b\n# head\n<img src=x onerror=y> **bold** [x](http://y) `c` $z$ ---"


def test_a_card_says_how_good_how_made_and_how_to_make_it_again(board: Store) -> None:
    """Score with interval and n, parameters, data hash, device, command, and that a mini corpus is no benchmark."""
    run_id = add_run(board, MetricValue("latency_ms_p50", 0.5), accuracy=0.6, teacher="Big")
    card = model_card.card(queries.run_detail(board, run_id))
    plain = card.replace("\\", "")
    assert plain.startswith('---\nlanguage: "ko"\ndatasets: ["reviews-ko-mini"]\ntags: ["featherboard"]\n---\n')
    assert "Accuracy: **60.00% (95% interval 53.08% to 66.54%, n = 200)**" in plain
    assert "| Latency, median | 0.5 ms | – | – |" in plain
    for fact in (
        "Parameters: 27,394",
        "Data hash: d",
        "Teacher: Big",
        "Device: a test",
        "Licence: not known",
        "not a benchmark",
        "verified from its predictions",
    ):
        assert fact in plain
    assert "```sh\nfeatherboard train kobilstm-tiny --seed 0\n```" in card


def test_a_card_is_the_same_every_time(board: Store) -> None:
    """Byte for byte, and its name is a file's name."""
    run_id = add_run(board, accuracy=0.6, name="../한국어 a/b: c")
    detail = queries.run_detail(board, run_id)
    assert model_card.card(detail) == model_card.card(queries.run_detail(board, run_id))
    assert model_card.file_name(detail) == f"a-b-c-{run_id[:8]}.md"
    assert model_card.file_name(queries.run_detail(board, add_run(board, accuracy=0.6, name="한국어"))).count("-") == 0


def test_text_from_outside_makes_no_markup(board: Store) -> None:
    """Names, notes and files stay in their lines; a command with backticks does not end its block."""
    model = ModelFacts("m", EVIL, EVIL, "bilstm", {}, 10, licence="MIT\nx: y")
    told_by = facts(EVIL, notes=EVIL, device=EVIL, dataset=EVIL, command="run ``` x", libraries=json.dumps({EVIL: 1}))
    writer = RunWriter.start(board, model, told_by)
    writer.finish(
        [MetricValue("odd|figure", 0.5)], train_seconds=1.0, artifacts=[Artifact("weights", "a\nb", 1, "0" * 64)]
    )
    card = model_card.card(queries.run_detail(board, writer.run_id))
    lines = card.splitlines()
    assert [line for line in lines if line.startswith("#")] == [
        line for line in lines if line.startswith(("# a ", "## Figures", "## How", "## Limits", "## Make", "## Files"))
    ]
    assert "<img" not in card.replace(r"\<img", "")
    assert lines[1] == r'license: "mit\nx: y"'
    assert "````sh\nrun ``` x\n````" in card
    assert f"{'0' * 64}  a b" in lines
    assert r"| odd\|figure | 0\.5 | – | – |" in card


def test_a_run_that_did_not_finish_says_so_first(board: Store) -> None:
    """Neither a figure nor a finished training is made up."""
    writer = RunWriter.start(board, ModelFacts("m", "M", "F", "bilstm", {}, None), facts())
    card = model_card.card(queries.run_detail(board, writer.run_id))
    assert "> **Mind:** This run is running" in card
    assert "No score was recorded" in card
    assert "## Figures" not in card


@pytest.mark.parametrize("task", ["nsmc", "squad-deck", "distil-ablation", "korquad-span"])
def test_a_reported_row_cites_its_document_and_shows_its_contradiction(board: Store, task: str) -> None:
    """Where the documents disagree the card says so before the figures."""
    rows = board.query("SELECT run_id, citation, caveat FROM runs WHERE task_id = ? AND caveat IS NOT NULL", [task])
    for run_id, citation, caveat in rows.itertuples(index=False):
        card = model_card.card(queries.run_detail(board, run_id)).replace("\\", "")
        cited = resolve(citation)
        assert f"Citation: {cited.title}" in card
        assert all(part in card for part in (cited.quoted_in, cited.link, cited.file) if part)
        assert card.index(" ".join(caveat.split())[:60]) < card.index("## How it was made")
