"""A classifier scored on a task that it was not trained on."""

import pytest

from db.runs import detail
from db.storage.store import Store
from engine.base.errors import ModelError
from engine.networks import packaged_e5
from engine.recipes import loader
from engine.workflows import transfer
from tests.factories.command_line import CommandLine
from tests.factories.runs import leaderboard

TASK = "films-ko-mini"


def test_a_model_is_scored_on_another_board_as_it_is(board: Store) -> None:
    """The run is measured, verified and says what it was trained on; doing it again adds nothing."""
    run_id = transfer.evaluate(board, "distilkobilstm-tiny", TASK, None, 1)
    (row,) = leaderboard(board, TASK).to_dict("records")
    assert (row["run_id"], row["source"], row["model_id"]) == (run_id, "measured", "distilkobilstm-tiny")
    run = detail.run_detail(board, run_id).run
    assert run["verified"]
    assert run["dataset"] == "nsmc"
    assert run["command"] == f"featherboard evaluate distilkobilstm-tiny --task {TASK} --threads 1"
    assert run["notes"].startswith("Trained on nsmc and scored as it is. Weights ")
    assert row["score"] > 0.7
    assert transfer.evaluate(board, "distilkobilstm-tiny", TASK, None, 1) == run_id
    assert len(leaderboard(board, TASK)) == 1


@pytest.mark.parametrize(
    ("recipe", "dataset", "about"),
    [
        (
            "e5-nli",
            "mnli+klue-nli",
            "Trained on mnli+klue-nli, going on from e5-klue-nli, and scored as it is. " + packaged_e5.ORIGIN,
        ),
        (
            "distilbilstm-mnli",
            "mnli",
            "Trained on mnli and scored as it is. Its teacher labelled texts of sanli, cad-snli.",
        ),
    ],
)
def test_everything_that_a_model_learned_from_is_named(recipe: str, dataset: str, about: str) -> None:
    """A row of Korean NLI said that none of its texts was learned from, by a model of 24,998 of them."""
    assert transfer.learned_from(loader.load(recipe)) == (dataset, about)


@pytest.mark.parametrize(
    ("target", "task", "message"),
    [
        ("distilkobilstm-tiny", "nli-ko-mini", "labels entailment, neutral, contradiction is needed"),
        ("distilkobilstm-tiny", "nsmc", "was made for nsmc; score it there without --task"),
        ("e5-qa", TASK, "marks answers in texts"),
    ],
)
def test_a_model_of_another_question_is_refused(board: Store, target: str, task: str, message: str) -> None:
    """Before anything is computed or stored."""
    with pytest.raises(ModelError, match=message):
        transfer.evaluate(board, target, task, None, 1)
    assert leaderboard(board, TASK).empty


@pytest.mark.parametrize(
    ("options", "message"),
    [(("--task", "sentinegg"), "there is no task"), (("--task", TASK, "--keep"), "goes with --data")],
)
def test_wrong_options_are_refused(command_line: CommandLine, options: tuple[str, ...], message: str) -> None:
    """With what is allowed."""
    code, _, err = command_line("evaluate", "distilkobilstm-tiny", *options)
    assert code == 2
    assert message in " ".join(err.replace("│", " ").split())
