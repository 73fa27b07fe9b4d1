"""The page that takes somebody's run, without a browser."""

import json
import re

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.submit import form_state
from dashboard.ui.markdown import plain
from db import submissions
from db.storage.store import Store
from tests.dashboard.submit.conftest import bring, field, hand_in, link_secret, open_page, warnings
from tests.factories.drafts import MINI, draft, make_predictions

HOSTILE = "<b>Tiny</b> **bold** [x](http://e) :red[x] $x$"


def _type(app: AppTest, **fields: str) -> AppTest:
    for name, value in fields.items():
        field(app, f"form_{name}").set_value(value)
    return app.run()


def _accuracy(app: AppTest, value: str) -> AppTest:
    return field(app, "form_metrics.accuracy").set_value(value).run()


def test_a_field_says_what_is_wrong_beside_it_and_only_once_it_was_touched(opened: AppTest) -> None:
    """Fields that nobody touched are told when somebody wants to hand in."""
    assert not warnings(opened)
    _accuracy(_type(opened, params="many"), "87.84")
    number, share = warnings(opened)
    assert '"many"' in number
    assert r"Enter 87\.84% or 0\.8784" in share
    hand_in(opened)
    assert plain("This is needed.") in warnings(opened)
    assert "Model" in warnings(opened)[-1]
    _accuracy(_type(opened, params="27k", model="Tiny"), "87.5%")
    assert not warnings(opened)


def test_handing_in_gives_a_link_once_and_the_link_tells_the_state(opened: AppTest, board: Store) -> None:
    """Contact and all: it waits, and its submitter may take it back."""
    _accuracy(_type(opened, model="Tiny", contact="me@example.org"), "70%")
    assert any("rank" in element.value for element in opened.markdown)
    hand_in(opened)
    secret = link_secret(opened)
    waiting = submissions.queue(board)
    assert len(waiting) == 1
    submission = submissions.read(board, submissions.status(board, secret)[0].submission_id)
    assert (submission.claim.contact, submission.claim.metrics, submission.via) == (
        "me@example.org",
        {"accuracy": 0.7},
        "form",
    )
    state = open_page(secret=secret)
    assert any("Waiting" in element.value for element in state.markdown)
    state.checkbox(key="submit_sure").check().run()
    state.button(key="submit_withdraw_do").click().run()
    assert submissions.status(board, secret)[0].state == "withdrawn"
    assert any("Withdrawn" in element.value for element in state.markdown)


def test_withdrawing_needs_a_second_word(board: Store, opened: AppTest) -> None:
    secret = submissions.submit(board, [draft()]).secret
    assert open_page(secret=secret).button(key="submit_withdraw_do").disabled


def test_what_became_of_a_row_is_told_with_the_reason_and_the_run(board: Store, opened: AppTest) -> None:
    receipt = submissions.submit(board, [draft(), draft(model="Other", notes="x")])
    run_id = submissions.accept(board, receipt.submissions[0])
    submissions.reject(board, receipt.submissions[1], "No **split** named")
    state = open_page(secret=receipt.secret)
    text = " ".join(element.value for element in state.markdown)
    assert "On the board" in text
    assert r"No \*\*split\*\* named" in text
    assert any(run_id in link.proto.query_string for link in state.get("page_link"))


def test_a_link_that_is_none_says_so(opened: AppTest) -> None:
    assert open_page(secret="made-up").subheader[0].value == "This link belongs to no submission."  # noqa: S106 - none


def test_files_fill_the_form_and_what_was_typed_stays(opened: AppTest) -> None:
    """A figure of a file is held to the same rules, and the parameters say that they were counted."""
    _type(opened, model="Mine")
    results = json.dumps({"eval_accuracy": 0.7, "eval_loss": 0.5, "train_runtime": 12.5, "eval_runtime": 1.0}).encode()
    config = json.dumps(
        {
            "model_type": "distilbert",
            "vocab_size": 100,
            "dim": 8,
            "hidden_dim": 16,
            "n_layers": 1,
            "n_heads": 2,
            "max_position_embeddings": 16,
            "architectures": ["DistilBertForSequenceClassification"],
        }
    ).encode()
    bring(opened, ("all_results.json", results), ("config.json", config))
    assert field(opened, "form_metrics.accuracy").value == "0.7"
    assert field(opened, "form_train_seconds").value == "12.5"
    assert field(opened, "form_model").value == "Mine"
    assert any(
        "eval" in element.value and "runtime" in element.value for element in opened.caption
    )  # what was not used
    assert any("Counted from your file." in element.value for element in opened.caption)
    bring(opened)
    assert field(opened, "form_metrics.accuracy").value == ""
    assert field(opened, "form_model").value == "Mine"


def test_predictions_are_scored_and_both_numbers_shown(opened: AppTest, board: Store) -> None:
    """Whole and right: verified. Another claim: both numbers. One missing: counted."""
    predicted = make_predictions(board, 150)
    size = len(predicted)
    _accuracy(_type(opened, model="Tiny"), f"{150 / size!r}")
    bring(opened, ("preds.csv", predicted.to_csv(index=False).encode()))
    assert any("Verified." in element.value for element in opened.markdown)
    _accuracy(opened, "99%")
    assert any("The predictions do not give what is claimed." in text for text in warnings(opened))
    assert any("99.00% claimed" in element.value for element in opened.markdown)
    foreign = predicted.assign(example_id=["x", *predicted["example_id"][1:]])
    bring(opened, ("preds.csv", foreign.to_csv(index=False).encode()))
    counted = next(element.value for element in opened.caption if element.value.startswith("Examples of the split"))
    assert "Without an answer: 1" in counted
    assert "something else: 1" in counted


def test_predictions_give_the_score_that_nobody_typed(opened: AppTest, board: Store) -> None:
    """Task, model and predictions are enough; a score that is typed after all is the one that counts."""
    _type(opened, model="Tiny")
    bring(opened, ("preds.csv", make_predictions(board, 150).to_csv(index=False).encode()))
    assert any("**75.00%** on" in element.value for element in opened.markdown)
    assert any("Verified." in element.value for element in opened.markdown)
    _accuracy(opened, "99%")
    assert any("The predictions do not give what is claimed." in text for text in warnings(opened))


def test_a_column_means_what_somebody_says(opened: AppTest) -> None:
    """Mapping by example: values from the file beside each choice."""
    bring(opened, ("mine.csv", b"who,how good\nTiny,0.7\n"))
    assert any(text.startswith("mine") and "say what its columns mean" in text for text in warnings(opened))
    assert any("0\\.7" in element.value for element in opened.markdown)
    choices = [box for box in opened.selectbox if str(box.key).startswith("submit_map_")]
    choices[0].set_value("model")
    choices[1].set_value("metrics.accuracy").run()
    assert field(opened, "form_model").value == "Tiny"
    assert field(opened, "form_metrics.accuracy").value == "0.7"


def test_many_rows_are_checked_together_and_handed_in_as_one(opened: AppTest, board: Store) -> None:
    """What they share is said once, one of them is corrected, one is left out."""
    rows = "Model,Acc,loss rate\nA,71%,0.1\nB,high,0.1\nC,73%,0.5\n"
    bring(opened, ("table.csv", rows.encode()))
    table = opened.dataframe[1].value
    assert list(table["Fix these first"].notna()) == [False, True, False]
    field(opened, "form_contact").set_value("me@example.org")
    opened.selectbox(key="submit_row").set_value(2).run()
    field(opened, "row2_metrics.accuracy").set_value("72%")
    opened.multiselect(key="submit_out").set_value([3]).run()
    assert not warnings(opened)
    hand_in(opened)
    rows_ = submissions.status(board, link_secret(opened))
    assert [submission.model for submission in rows_] == ["A", "B"]
    second = submissions.read(board, rows_[1].submission_id).claim
    assert (second.metrics, second.training, second.contact) == (
        {"accuracy": 0.72},
        {"loss rate": 0.1},
        "me@example.org",
    )


def test_a_file_that_cannot_be_read_is_named_once(opened: AppTest) -> None:
    """The place in it and the reason follow."""
    bring(opened, ("bad.json", b"{x"))
    text = warnings(opened)[0].replace("\\", "")
    assert text.startswith("bad.json was not read. line 1, column 2: no valid JSON")
    assert text.count("bad.json") == 1


def test_rows_of_tasks_without_a_board_are_named(opened: AppTest) -> None:
    """A visitor sees which rows are not submitted, also where a single one is left."""
    for count, rows in ((2, "A,reviews-ko-mini,70%\nB,reviews-ko-mini,71%\n"), (1, "A,reviews-ko-mini,70%\n")):
        bring(opened, ("table.csv", f"model,task,accuracy\n{rows}C,foo,72%\nD,foo,73%\n".encode()))
        assert opened.button(key="submit_hand_in").label == (f"Submit {count} rows" if count > 1 else "Submit")
        (named,) = [caption.value for caption in opened.caption if caption.value.startswith("Left out")]
        assert named.endswith("there is no board for their task: foo (2 rows)")


def test_what_is_too_much_is_told_and_nothing_typed_is_lost(
    opened: AppTest, board: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FEATHERBOARD_SUBMISSIONS_PER_HOUR", "1")
    hand_in(_accuracy(_type(opened, model="One"), "70%"))
    opened.button(key="submit_another").click().run()
    field(opened, "form_task").set_value(MINI).run()
    hand_in(_accuracy(_type(opened, model="Two"), "70%"))
    assert any("This is too much for now; what you typed is still here." in text for text in warnings(opened))
    assert field(opened, "form_model").value == "Two"


def test_words_of_strangers_are_only_text(opened: AppTest, board: Store) -> None:
    """In every place that repeats them: problems, preview, mapping, receipt, state."""
    _accuracy(_type(opened, model=HOSTILE, seed=HOSTILE, link=HOSTILE), "70%")
    bring(opened, (f"{HOSTILE}.csv", f"{HOSTILE},id\n1,2\n".replace(",b", "b").encode()))
    receipt = submissions.submit(board, [draft(model=HOSTILE, notes="n")])
    submissions.reject(board, receipt.submissions[0], HOSTILE)
    for app in (opened, open_page(secret=receipt.secret)):
        assert not app.exception
        texts = [element.value for element in (*app.markdown, *app.caption, *app.warning)]
        assert not any("<b>" in text or "**bold**" in text or "[x](" in text or ":red[" in text for text in texts)


def test_a_task_of_a_link_is_chosen_and_one_that_is_none_is_passed_over(board: Store, opened: AppTest) -> None:
    assert field(opened, "form_task").value == MINI
    assert field(open_page(task="made-up"), "form_task").value is None


@pytest.mark.parametrize(
    "bad", ["", "[]", "{", '{"model": 1, "colour": "x", "facts": null}', "[" * 50_000, "x" * 300_000]
)
def test_a_browser_that_keeps_nonsense_does_no_harm(bad: str) -> None:
    assert form_state.read(bad) == {}


def test_a_draft_comes_back_as_it_was_kept() -> None:
    """Empty fields are left out, and names that are no fields never come in."""
    values = {"model": "Tiny", "metrics.accuracy": "70%", "facts": "lr = 0.1", "seed": "", "contact": "me@example.org"}
    filled = {field: value for field, value in values.items() if value}
    assert form_state.read(form_state.written(values)) == filled
    assert form_state.read(json.dumps({**filled, "secret": "x", "params_source": "config", "training.": "y"})) == filled


def test_facts_are_lines_and_what_is_no_fact_is_told() -> None:
    assert form_state.facts("lr = 0.1\n\nno fact\n lr=0.2\na = b = c") == (
        {"lr": "0.1", "a": "b = c"},
        ["no fact", "lr=0.2"],
    )


def test_nobody_can_hand_in_without_a_database(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page says what fills it."""
    assert open_page().subheader[0].value == "There is no database yet."


def test_the_korean_page_speaks_korean(opened: AppTest) -> None:
    app = _accuracy(_type(open_page(task=MINI, lang="ko"), params="many"), "87.84")
    texts = warnings(app)
    assert len(texts) == 2
    assert all(re.search("[가-힣]", text) for text in texts)
