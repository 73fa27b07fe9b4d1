"""``featherboard ask --input``: a file of questions is answered and scored, and never overwritten."""

import json
from pathlib import Path

import pytest

from db.statistics.qa_scoring import SQUAD, best
from engine.families.span_qa import checkpoint
from engine.families.span_qa.questions import Question
from tests.engine.families.span_qa.ask.conftest import Run
from tests.factories.command_line import one_line_error
from tests.factories.span_qa import as_squad, toy_questions


def _write(file: Path, questions: list[Question]) -> Path:
    if file.suffix == ".json":
        file.write_text(json.dumps(as_squad(questions), ensure_ascii=False), "utf-8")
    else:
        rows = [
            {"id": question.id, "question": question.question, "context": question.context} for question in questions
        ]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return file


def test_a_file_is_answered_and_scored(run: Run, model: str, tmp_path: Path) -> None:
    """The output is {id: answer} as the official scorer reads it; right answers in the input give figures."""
    toys = toy_questions(12)
    source, target = _write(tmp_path / "in.json", toys), tmp_path / "out.json"
    code, out, err = run("--input", source, "--output", target)
    assert (code, out) == (0, "")
    answers = json.loads(target.read_text("utf-8"))
    assert list(answers) == [question.id for question in toys]
    answered = checkpoint.load(Path(model)).answer(toys)
    assert list(answers.values()) == [answer.best[0].text for answer in answered]
    assert "12 questions answered, 0 with nothing" in err
    assert "guess" not in err
    verdicts = [best(SQUAD, answers[question.id], [gold.text for gold in question.answers]) for question in toys]
    assert f"{sum(overlap for _, overlap in verdicts) / 12:.2%}" in err
    code, out, _ = run("--input", source, "--output", target, "--force", "--json")
    summary = json.loads(out)
    assert (code, summary["questions"], summary["no_answer"], summary["guesses"]) == (0, 12, 0, 0)
    assert summary["f1"] == pytest.approx(sum(overlap for _, overlap in verdicts) / 12)
    assert summary["em"] == pytest.approx(sum(exact for exact, _ in verdicts) / 12)


def test_a_file_without_answers_has_no_figures(run: Run, tmp_path: Path) -> None:
    """A table of questions is answered; in another script they are counted; a threshold leaves some unanswered."""
    mixed = [*toy_questions(3), Question("ko", "서울은 어디?", "The dog is red.")]
    source, target = _write(tmp_path / "in.jsonl", mixed), tmp_path / "out.json"
    code, out, err = run("--input", source, "--output", target)
    assert (code, out) == (0, "")
    assert "F1" not in err
    assert "1 question(s) or their texts are in another script" in err
    code, out, _ = run("--input", source, "--output", target, "--force", "--threshold", 0, "--json")
    assert json.loads(out)["no_answer"] == 4
    assert set(json.loads(target.read_text()).values()) == {""}


def test_wrong_files_leave_nothing_behind(run: Run, tmp_path: Path) -> None:
    """A question that cannot be asked stops the file before the first is answered, and an output stays as it was."""
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    target = tmp_path / "out" / "out.json"
    for name, content, message in (
        ("a.json", b'{"data": 1}', "this is no SQuAD file"),
        (
            "b.jsonl",
            b'{"question": "how?", "context": "red"}\n{"question": " ", "context": "red"}\n',
            "The question 'row-2' is empty",
        ),
        ("c.jsonl", b'{"question": "how?", "context": ""}\n', "has an empty text"),
        ("d.csv", b"question,text\na,b\n", "the column(s) context are missing"),
        ("e.jsonl", b'{"question": "how?", "context": "\\ud800"}\n', "line 1: cannot be used"),
    ):
        (tmp_path / "in" / name).write_bytes(content)
        for force in (False, True):
            if force:
                target.write_text("precious")
            flags = ["--force"] if force else []
            result = run("--input", tmp_path / "in" / name, "--output", target, *flags)
            assert message in one_line_error(result)
            assert result.out == ""
            assert [file.name for file in target.parent.iterdir()] == (["out.json"] if force else [])
            assert not force or target.read_text() == "precious"
            target.unlink(missing_ok=True)


def test_the_output_is_never_overwritten_unasked(run: Run, tmp_path: Path) -> None:
    """A file that is there stays unless --force is given; the input is never the output."""
    source, target = _write(tmp_path / "in.json", toy_questions(2)), tmp_path / "out.json"
    before = source.read_bytes()
    target.write_text("precious")
    error = one_line_error(run("--input", source, "--output", target))
    assert "was left as it is. Overwrite it with --force." in error
    assert target.read_text() == "precious"
    error = one_line_error(run("--input", source, "--output", source, "--force"))
    assert "input and output are the same file" in error
    assert source.read_bytes() == before
    assert run("--input", source, "--output", target, "--force")[0] == 0
    assert len(json.loads(target.read_text())) == 2
