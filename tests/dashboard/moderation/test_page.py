"""The page of moderators: what they see, what they decide, and what is never lost."""

import re

import pytest

from dashboard.moderation import batches, client
from dashboard.moderation.client import ModerationClient
from dashboard.ui.markdown import plain
from db import submissions
from db.base.errors import StoreBusyError
from db.storage.store import Store
from tests.dashboard.moderation.conftest import all_text, enter, submit
from tests.dashboard.translation import worded
from tests.factories.drafts import MINI, TOKEN, curve, draft, make_predictions
from tests.factories.runs import add_run, leaderboard

EVIL = "<b>x</b> **bold** [y](http://z) $a$ :red[c] `d`"


def test_the_queue_is_listed_searched_and_filtered(board: Store, monkeypatch) -> None:
    """Oldest first, counted by state, flags told; the address holds what is looked at."""
    submit(board, model="Forged", predictions=make_predictions(board, 200), metrics={"accuracy": 1.0}, params=391_170)
    rejected = submit(board, model="Gone")
    submissions.reject(board, rejected.submissions[0], "Not this split.")
    submit(board, model=EVIL)
    app = enter(board, monkeypatch)
    table = app.dataframe[0].value
    assert table["Model"].tolist() == ["Forged", EVIL]
    assert table[["Score", "Parameters", "Predictions", "Flags"]].to_numpy().tolist()[0] == [
        "100.00%",
        "391,170",
        "200",
        "⚑ 1",
    ]
    assert "2 rows wait, the oldest since" in all_text(app)
    app.text_input(key="find").input("forg").run()
    assert app.dataframe[0].value["Model"].tolist() == ["Forged"]
    assert app.query_params["find"] in ("forg", ["forg"])
    app = enter(board, monkeypatch, show="rejected")
    assert app.dataframe[0].value[["Model", "Reason"]].to_numpy().tolist() == [["Gone", "Not this split."]]
    app = enter(board, monkeypatch, find="nothing like it")
    assert "Nothing here matches." in [element.value for element in app.info]


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_sheet_shows_all_of_a_submission_as_text(board: Store, monkeypatch, lang: str) -> None:
    """Facts, contact, rank, figures, rows of the same model, curves, answers, history; nothing of it is markup."""
    add_run(board, accuracy=0.8, name="Featherweight")
    receipt = submit(
        board,
        predictions=make_predictions(board, 176),
        curves=curve(0.5, 0.25),
        metrics={"accuracy": 0.9},
        contact="me@example.org",
        notes=f"{EVIL}\nmore",
        link="https://example.org/m",
        family=EVIL,
        training={EVIL: EVIL},
        params=27_394,
    )
    app = enter(board, monkeypatch, open=receipt.submissions[0], lang=lang)
    shown = all_text(app)
    for part in ("Featherweight", "90.00%", "88.00%", "me@example.org", "80.00%"):
        assert part in shown
    assert (
        worded(
            lang, "All {split} examples of the split are answered, and they give another figure than is claimed."
        ).format(split=200)
        in shown
    )
    assert worded(lang, "same parameters") in shown
    assert [code.value for code in app.code] == [f"{EVIL}\nmore"]
    cells = [str(cell) for table in app.table for row in table.value.to_numpy() for cell in row]
    evil = [cell for cell in cells if "bold" in cell]
    assert len(evil) == 3
    for cell in evil:
        assert "**bold**" not in cell
    assert plain("https://example.org/m") in cells
    assert len(app.get("plotly_chart")) == 1


def test_an_address_is_text_and_no_link() -> None:
    """Markdown makes links of bare addresses, whatever is escaped in them; all its signs are still there."""
    for link in ("see https://a.example/x`y", "a@b.example", "WWW.example.org", "**plain**"):
        shown = plain(link).replace("\\", "")
        assert shown.replace("\u2060", "") == link
        assert not re.search(r"(?i)https?:|www\.|\w@", shown)


def test_flags_have_their_codes(board: Store) -> None:
    """Each kind of repetition is flagged; the wording of every code is tested with ``dashboard.ui.messages``."""
    first = submit(board, predictions=make_predictions(board, 200), metrics={"accuracy": 1.0})
    second = submissions.submit(
        board, [draft(metrics={"accuracy": 1.0})], predictions=make_predictions(board, 200), client="you"
    )
    third = submit(board, predictions=make_predictions(board, 200), metrics={"accuracy": 1.0}, seed=2)

    def codes(receipt: submissions.Receipt) -> set[str]:
        return {flag.code for flag in submissions.difference(board, receipt.submissions[0]).flags}

    assert codes(first) == codes(second) == {"equals_gold", "same_submission"}
    assert codes(third) == {"equals_gold", "same_answers"}
    submissions.accept(board, first.submissions[0])
    assert codes(third) == {"equals_gold", "same_answers", "same_as_run"}
    submissions.accept(board, second.submissions[0])
    assert codes(third) == {"equals_gold", "same_answers", "same_as_runs"}


def test_a_row_is_accepted_and_the_next_one_opens(board: Store, monkeypatch) -> None:
    first = submit(board, model="First", predictions=make_predictions(board, 175))
    second = submit(board, model="Second", seed=2)
    app = enter(board, monkeypatch)
    app.button(key="moderator oldest").click().run()
    assert app.title[0].value == "First"
    app.button(key=f"moderator do accept {first.submissions[0]}").click().run()
    assert not app.exception
    assert [element.value for element in app.success] == ["Accepted: First."]
    assert app.title[0].value == "Second"
    assert app.query_params["open"] in (second.submissions[0], [second.submissions[0]])
    row = leaderboard(board, MINI).iloc[0]
    assert (row["model"], row["source"], row["verified"]) == ("First", "submitted", True)
    assert submissions.status(board, first.secret)[0].state == "accepted"


def test_a_rejection_takes_a_common_reason_or_ones_own(board: Store, monkeypatch) -> None:
    """Without a reason nothing is done; what the submitter reads is what was written."""
    receipt = submit(board)
    submission_id = receipt.submissions[0]
    app = enter(board, monkeypatch, open=submission_id)
    app.button_group(key=f"moderator way {submission_id} waiting").set_value("reject").run()
    app.button(key=f"moderator do reject {submission_id}").click().run()
    assert [element.value for element in app.error] == ["A rejection needs a reason. Nothing was done."]
    assert submissions.status(board, receipt.secret)[0].state == "waiting"
    app.selectbox(key=f"moderator reason reject {submission_id} from").set_value(2).run()
    area = app.text_area(key=f"moderator reason reject {submission_id}")
    assert area.value == "This row is on the board already."
    area.input("Written by hand.")
    app.button(key=f"moderator do reject {submission_id}").click().run()
    assert not app.exception
    (status,) = submissions.status(board, receipt.secret)
    assert (status.state, status.reason) == ("rejected", "Written by hand.")
    assert "Nothing waits." in [element.value for element in app.info]


def test_what_was_written_is_not_lost_where_somebody_else_was_quicker(board: Store, monkeypatch) -> None:
    receipt = submit(board)
    submission_id = receipt.submissions[0]
    app = enter(board, monkeypatch, open=submission_id)
    app.button_group(key=f"moderator way {submission_id} waiting").set_value("reject").run()
    app.text_area(key=f"moderator reason reject {submission_id}").input("A long and careful reason.").run()
    submissions.accept(board, submission_id)
    app.button(key=f"moderator do reject {submission_id}").click().run()
    assert not app.exception
    assert "Another moderator decided in the meantime: Featherweight is now accepted" in app.error[0].value
    assert "A long and careful reason." in [code.value for code in app.code]
    assert submissions.status(board, receipt.secret)[0].state == "accepted"


def test_a_row_is_merged_into_a_chosen_one(board: Store, monkeypatch) -> None:
    """Rows of the board and what waits are offered, of the same task alone."""
    run_id = add_run(board, accuracy=0.8)
    receipt, other = submit(board), submit(board, model="Other", seed=3)
    submit(board, model="Elsewhere", task="nli-en-mini")
    submission_id = receipt.submissions[0]
    app = enter(board, monkeypatch, open=submission_id)
    app.button_group(key=f"moderator way {submission_id} waiting").set_value("merge").run()
    app.button(key=f"moderator do merge {submission_id}").click().run()
    assert [element.value for element in app.error] == ["Choose the row to merge it into. Nothing was changed."]
    into = app.selectbox(key=f"moderator into {submission_id}")
    assert len(into.options) == 2
    assert any(other.submissions[0][:12] in option for option in into.options)
    into.set_value(run_id)
    app.button(key=f"moderator do merge {submission_id}").click().run()
    (status,) = submissions.status(board, receipt.secret)
    assert (status.state, status.run_id) == ("merged", run_id)


def test_an_accepted_row_is_withdrawn_from_the_board(board: Store, monkeypatch) -> None:
    receipt = submit(board)
    submission_id = receipt.submissions[0]
    submissions.accept(board, submission_id)
    app = enter(board, monkeypatch, open=submission_id, show="accepted")
    app.button_group(key=f"moderator way {submission_id} accepted").set_value("withdraw").run()
    app.text_area(key=f"moderator reason withdraw {submission_id}").input("Asked for.")
    app.button(key=f"moderator do withdraw {submission_id}").click().run()
    assert not app.exception
    assert "Reason: Asked for." in all_text(app)
    assert leaderboard(board, MINI).empty


def _together(board: Store, count: int) -> submissions.Receipt:
    return submissions.submit(
        board, [draft(model=f"Row {n}", seed=n) for n in range(count)], filename="table.csv", via="cli"
    )


def test_what_was_handed_in_together_is_asked_about_together(board: Store, monkeypatch) -> None:
    """A question counts the rows that still wait, and before it is answered nothing is done."""
    together = _together(board, 4)
    submit(board, model="Alone")
    submissions.reject(board, together.submissions[0], "No.")
    app = enter(board, monkeypatch)
    batch = submissions.read(board, together.submissions[0]).batch_id
    assert "table.csv: 3 of 4 rows wait" in all_text(app)
    app.button(key=f"moderator accept {batch[:12]}").click().run()
    assert "3 rows go onto the board: Row 1, Row 2 and Row 3." in all_text(app)
    assert {"Yes, accept 3 rows", "No"} <= {button.label for button in app.button}
    assert leaderboard(board, MINI).empty
    app.button(key=f"moderator only {batch[:12]}").click().run()
    assert app.dataframe[0].value["Model"].tolist() == ["Row 1", "Row 2", "Row 3"]
    assert app.query_params["batch"] in (batch, [batch])


def test_a_row_that_cannot_be_decided_does_not_keep_the_others(board: Store, monkeypatch) -> None:
    """What somebody else decided meanwhile is told; where the database is busy the rest is not tried."""
    monkeypatch.setenv("FEATHERBOARD_DB", str(board.path))
    ids, mine, went = _together(board, 4).submissions, ModerationClient(TOKEN), []
    submissions.accept(board, ids[1])
    done, left = batches.decide(mine, ids[:3], "reject", "No.", went.append)
    assert (done, list(left.values()), went) == (2, [1], [1, 2, 3])
    assert "is accepted, and only one that is waiting" in next(iter(left))
    monkeypatch.setattr(submissions, "accept", lambda *_, **__: (_ for _ in ()).throw(StoreBusyError("busy")))
    assert batches.decide(mine, [ids[3], "x", "y"], "accept", "", went.append) == (0, {"busy": 3})


def test_runs_without_the_badge_are_verified(board: Store, monkeypatch) -> None:
    """Both figures are told where they differ; an incomplete one stays without."""
    for model, right, claimed in (("Good", 175, 0.875), ("Overclaimed", 175, 0.9)):
        receipt = submit(board, model=model, predictions=make_predictions(board, right), metrics={"accuracy": claimed})
        submissions.accept(board, receipt.submissions[0])
    with board.transaction() as con:
        con.execute("UPDATE runs SET verified = false WHERE source = 'submitted'")
    app = enter(board, monkeypatch, show="unverified")
    assert "2 submitted runs with predictions have no badge" in all_text(app)
    app.button(key="moderator verify all").click().run()
    assert not app.exception
    assert [element.value.split(":")[0] for element in app.success] == ["Good"]
    assert [element.value.split(":")[0] for element in app.error] == ["Overclaimed"]
    assert "Accuracy 90.00% claimed, 87.50% found" in all_text(app)
    assert len(submissions.unverified(board)) == 1


def test_the_next_row_is_the_one_behind() -> None:
    assert client.following(["a", "b", "c"], "b") == "c"
    assert client.following(["a", "b", "c"], "c") == "a"
    assert client.following(["a"], "a") is None
    assert client.following(["a", "b"], "gone") == "a"


def test_a_link_to_nothing_leads_back(board: Store, monkeypatch) -> None:
    app = enter(board, monkeypatch, open="no-such-submission")
    assert "Nothing here matches." in [element.value for element in app.warning]
    app.button(key="moderator back").click().run()
    assert "open" not in app.query_params
