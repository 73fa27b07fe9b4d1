"""Cells of an uploaded table: all that cannot be used at once, and questions for those that are open."""

from streamlit.testing.v1 import AppTest

from db import submissions
from db.storage.store import Store
from tests.dashboard.submit.conftest import bring, field, hand_in, link_secret, warnings


def test_a_table_is_reported_whole_with_file_row_and_column(opened: AppTest) -> None:
    """Every cell that cannot be used, at once; the button opens when all are corrected or left out."""
    bring(opened, ("t.csv", b"Model,Acc,Parameters\nA,71%,many\nB,high,27k\nC,73%,27k\n"))
    cells = opened.dataframe[0].value
    expected = [("t.csv", "line 2", "Parameters", "many"), ("t.csv", "line 3", "Acc", "high")]
    assert list(cells.iloc[:, :4].itertuples(index=False, name=None)) == expected
    assert "many" in cells["What is wrong"][0]
    assert opened.button(key="submit_hand_in").disabled
    opened.selectbox(key="submit_row").set_value(1).run()
    field(opened, "row1_params").set_value("27k").run()
    assert list(opened.dataframe[0].value["Row"]) == ["line 3"]
    opened.multiselect(key="submit_out").set_value([2]).run()
    assert not opened.button(key="submit_hand_in").disabled
    assert not warnings(opened)


def test_a_doubtful_cell_is_a_question_and_the_button_waits_for_the_answer(opened: AppTest, board: Store) -> None:
    """One answer settles the open values of a column."""
    bring(opened, ("t.csv", b"Model,Acc\nA,71.5\nB,0.9\nC,0.8\n"))
    (question,) = opened.radio
    assert question.label.replace("\\", "") == "t.csv, column “Acc”, line 3, line 4: how should 0.9 and 0.8 be read?"
    assert [option.replace("\\", "") for option in question.options] == ["0.90% and 0.80%", "90.00% and 80.00%"]
    assert opened.button(key="submit_hand_in").disabled
    question.set_value(1).run()
    hand_in(opened)
    sent = [submissions.read(board, status.submission_id) for status in submissions.status(board, link_secret(opened))]
    assert [submission.claim.metrics["accuracy"] for submission in sent] == [0.715, 0.9, 0.8]


def test_a_question_about_one_row_fills_the_form(opened: AppTest) -> None:
    """Also where somebody changes the answer."""
    bring(opened, ("t.csv", b"Model,Acc,Parameters\nA,71.5%,66\n"))
    assert opened.button(key="submit_hand_in").disabled
    opened.radio[0].set_value(1).run()
    assert field(opened, "form_params").value == "66M"
    assert not opened.button(key="submit_hand_in").disabled
    opened.radio[0].set_value(0).run()
    assert field(opened, "form_params").value == "66k"
