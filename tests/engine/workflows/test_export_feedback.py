"""``featherboard export feedback``: the files that are made of reported answers."""

import json
import tempfile
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from db.base.chunked_tables import open_table
from db.base.paths import default_database
from db.base.table_files import read_frame
from db.registry import tasks
from db.runs import feedback
from db.runs.feedback import Case
from db.storage.store import Store
from engine.data.corpora import load
from engine.data.tables import text_column
from engine.families.span_qa import ask_file, questions
from engine.workflows import export_feedback as exporting
from tests.factories.command_line import CommandLine, CommandResult
from tests.factories.feedback import CONTEXT, HEADLINE, PAIR, QA, REVIEW
from tests.factories.span_qa import toy_answerer, write_source

Run = Callable[..., CommandResult]


@pytest.fixture
def run(command_line: CommandLine) -> Run:
    """Run ``featherboard export feedback`` in this process."""
    return command_line.starting_with("export", "feedback")


@pytest.fixture
def mine() -> Store:
    """The database that the command works with."""
    return Store(default_database())


def test_questions_become_squad_2(run: Run, mine: Store, tmp_path: Path) -> None:
    """One paragraph per text, answers with their places, questions without an answer; what is unknown is counted."""
    first = feedback.keep(mine, QA)
    other = feedback.keep(
        mine, replace(QA, context="Another red text.", answer="", answer_start=None, right_start=None)
    )
    nothing = feedback.keep(mine, replace(QA, question="Who is old?", right_answer=None, unanswerable=True))
    feedback.keep(mine, replace(QA, question="What?", right_answer=None))
    target = tmp_path / "wrong.json"
    code, out, err = run(target)
    assert (code, err) == (0, "")
    assert out.splitlines() == [f"{target}: 3 example(s) of qa", "1 case(s) left out: their right answer is not known."]
    made = json.loads(target.read_text("utf-8"))
    assert made["version"] == "v2.0"
    ((first_text, second_text),) = [article["paragraphs"] for article in made["data"]]
    red = [{"text": "red", "answer_start": 48}]
    assert first_text == {
        "context": CONTEXT,
        "qas": [
            {"id": first, "question": QA.question, "answers": red, "is_impossible": False},
            {"id": nothing, "question": "Who is old?", "answers": [], "is_impossible": True},
        ],
    }
    assert second_text["context"] == "Another red text."
    assert second_text["qas"][0]["id"] == other
    assert second_text["qas"][0]["answers"] == [{"text": "red", "answer_start": 8}]


def test_a_model_is_asked_again_about_what_was_reported(run: Run, mine: Store, tmp_path: Path) -> None:
    """What `featherboard ask --input` does: every question is answered and scored, one without an answer too."""
    ids = [
        feedback.keep(mine, QA),
        feedback.keep(mine, replace(QA, question="how?", right_answer=None, unanswerable=True)),
    ]
    assert run(tmp_path / "wrong.json")[0] == 0
    answerer = toy_answerer(write_source(tmp_path / "encoder"))
    done = ask_file.ask_file(answerer, tmp_path / "wrong.json", tmp_path / "said.json")
    assert list(json.loads((tmp_path / "said.json").read_text("utf-8"))) == ids
    assert done.questions == 2
    assert {figure.n for figure in done.figures} == {2}
    assert {figure.n for figure in (*done.answerable, *done.impossible)} == {1}


def test_reviews_and_pairs_become_what_a_training_reads(run: Run, mine: Store, tmp_path: Path) -> None:
    """A folder with the two files is data of the task; the labels are the right ones, not those that were said."""
    for number in range(2):
        feedback.keep(mine, replace(REVIEW, text=f"{REVIEW.text} {number}"))
        feedback.keep(mine, replace(PAIR, premise=f"{PAIR.premise}\N{LINE SEPARATOR}{number}"))
    feedback.keep(mine, replace(PAIR, right_answer=None, premise="unknown"))
    rows = {}
    for kind, task in (("sentiment", "reviews-ko-mini"), ("nli", "nli-en-mini")):
        folder = tmp_path / kind
        folder.mkdir()
        assert run(folder / "both.jsonl", "--kind", kind)[0] == 0
        first, second, end = (folder / "both.jsonl").read_bytes().split(b"\n")
        assert end == b""
        (folder / "train.jsonl").write_bytes(first)
        (folder / "test.jsonl").write_bytes(second)
        rows[kind] = load(task, str(folder), strict=True)
    assert rows["sentiment"].train.texts == [(f"{REVIEW.text} 0",)]
    assert rows["sentiment"].train.labels.tolist() == [0]
    assert rows["nli"].test.texts == [(f"{PAIR.premise}\N{LINE SEPARATOR}1", PAIR.hypothesis)]
    assert rows["nli"].test.labels.tolist() == [2]
    assert text_column(open_table(tmp_path / "sentiment" / "both.jsonl"), None) == "document"


def test_other_labels_are_written_by_name(run: Run, mine: Store, tmp_path: Path) -> None:
    """A task's own labels have no fixed numbers; the file is data of that task all the same."""
    feedback.keep(mine, HEADLINE)
    feedback.keep(mine, replace(HEADLINE, text="코스피 상승", right_answer="economy"))
    assert run(tmp_path / "both.jsonl")[0] == 0
    first, second, _ = (tmp_path / "both.jsonl").read_text("utf-8").split("\n")
    assert (json.loads(first)["label"], json.loads(second)["label"]) == ("politics", "economy")
    (tmp_path / "train.jsonl").write_text(first, "utf-8")
    (tmp_path / "test.jsonl").write_text(second, "utf-8")
    data = load("topics-ko-mini", str(tmp_path))
    assert data.train.texts == [("국회 예산안 처리",)]
    assert data.train.labels.tolist() == [tasks.by_id("topics-ko-mini").labels.index("politics")]


def test_of_reports_of_one_example_the_last_counts(run: Run, mine: Store, tmp_path: Path) -> None:
    """Also where it repeats an earlier one; a report that knows nothing takes nothing back."""
    feedback.keep(mine, REVIEW)
    feedback.keep(mine, replace(REVIEW, right_answer="positive", model="other"))
    feedback.keep(mine, REVIEW)
    feedback.keep(mine, replace(REVIEW, right_answer=None))
    _, out, _ = run(tmp_path / "a.jsonl")
    assert "1 example(s) of sentiment" in out
    assert "1 case(s) left out: the same example was reported again later." in out
    assert json.loads((tmp_path / "a.jsonl").read_text("utf-8"))["label"] == 0


def test_forget_deletes_what_the_file_holds(run: Run, mine: Store, tmp_path: Path) -> None:
    """The unknown ones and the other kinds stay; after a file that could not be written, all do."""
    feedback.keep(mine, QA)
    feedback.keep(mine, REVIEW)
    unknown = feedback.keep(mine, replace(QA, right_answer=None))
    (tmp_path / "a.json").write_text("mine")
    assert run(tmp_path / "a.json", "--kind", "qa", "--forget")[0] == 1
    assert len(feedback.cases(mine)) == 3
    assert "1 case(s) deleted" in run(tmp_path / "a.json", "--kind", "qa", "--force", "--forget")[1]
    assert feedback.cases(mine, "qa")["feedback_id"].tolist() == [unknown]
    assert len(feedback.cases(mine, "sentiment")) == 1


def test_what_cannot_be_written_is_told_in_one_line(run: Run, mine: Store, tmp_path: Path) -> None:
    """No database, no report, several kinds, a wrong ending, a file that is there: the folder stays as it is."""
    (tmp_path / "there.json").write_text("mine")

    def refused(*arguments: object) -> str:
        before = sorted(tmp_path.iterdir())
        code, out, err = run(*arguments)
        assert (code, out) == (1, "")
        assert len(err.splitlines()) == 1
        assert sorted(tmp_path.iterdir()) == before
        return err

    assert "There is no database" in refused(tmp_path / "a.json")
    mine.migrate()
    assert "No answer was reported as wrong yet" in refused(tmp_path / "a.json")
    feedback.keep(mine, replace(QA, right_answer=None))
    assert "1 reported case(s) of qa, none of them with its right answer" in refused(tmp_path / "a.json")
    feedback.keep(mine, REVIEW)
    assert "several kinds (1 of qa, 1 of sentiment); name one with --kind" in refused(tmp_path / "a.json")
    assert "a file of sentiment must end in .jsonl" in refused(tmp_path / "a.json", "--kind", "sentiment")
    feedback.keep(mine, QA)
    assert "exists and was left as it is" in refused(tmp_path / "there.json", "--kind", "qa")
    assert (tmp_path / "there.json").read_text() == "mine"
    assert "there is no folder" in refused(tmp_path / "gone" / "a.json", "--kind", "qa")
    assert run(tmp_path / "a.json", "--kind", "poem")[0] == 2


# Any text goes through: report, database, file, reader.

_letters = st.one_of(
    st.characters(codec="utf-8"),
    st.sampled_from('🪶👩‍👧🇰🇷é\r\n\u2028\x00"\\'),
    st.characters(min_codepoint=0x1100, max_codepoint=0x11FF),
    st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3).map(lambda letter: unicodedata.normalize("NFD", letter)),
)
_texts = st.lists(_letters, min_size=1, max_size=12).map("".join).filter(str.strip)
_pairs = st.tuples(_texts, st.sampled_from(["negative", "positive"]))
# Examples that open a database are few, and shrinking one would take minutes.
_FEW = settings(max_examples=8, deadline=None, database=None, phases=[Phase.generate])


@st.composite
def _cases(draw: st.DrawFn) -> Case:
    context, question = draw(_texts), draw(_texts)
    start = draw(st.integers(0, len(context) - 1))
    answer = context[start : draw(st.integers(start + 1, len(context)))]
    known = {"right_answer": answer, "right_start": start} if answer.strip() else {"unanswerable": True}
    case = Case(kind="qa", model="minilm-squad", answer="", context=context, question=question)
    return replace(case, **known)


@_FEW
@given(st.lists(_cases(), min_size=2, max_size=4, unique_by=lambda case: (case.context, case.question)))
def test_any_question_comes_back_from_its_file(cases: list[Case]) -> None:
    """Letter by letter, with the answer at a place where it stands."""
    with tempfile.TemporaryDirectory() as folder:
        board, target = Store(Path(folder) / "board.duckdb"), Path(folder) / "a.json"
        ids = {feedback.keep(board, case): case for case in cases}
        exporting.export(board, target)
        by_id = {question.id: question for question in questions.read(target).questions}
    assert set(by_id) == set(ids)
    for own, case in ids.items():
        restored = by_id[own]
        assert (restored.question, restored.context) == (case.question, case.context)
        assert [gold.text for gold in restored.answers] == (
            [] if case.unanswerable else [str(case.right_answer).strip()]
        )
        for gold in restored.answers:
            assert restored.context[gold.start : gold.start + len(gold.text)] == gold.text


@_FEW
@given(st.lists(_pairs, min_size=2, max_size=4, unique_by=lambda pair: pair[0]))
def test_any_review_comes_back_from_its_file(reviews: list[tuple[str, str]]) -> None:
    """Letter by letter, under its label."""
    with tempfile.TemporaryDirectory() as folder:
        board, target = Store(Path(folder) / "board.duckdb"), Path(folder) / "a.jsonl"
        for text, right in reviews:
            feedback.keep(board, replace(REVIEW, text=text, right_answer=right))
        exporting.export(board, target)
        table = read_frame(target)
    expected = [(text, ["negative", "positive"].index(right)) for text, right in reviews]
    assert list(zip(table["document"], table["label"], strict=True)) == expected
