"""``featherboard ask``: answers on the terminal, and one clear line about whatever cannot be asked."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from db.base.paths import default_database
from engine.checkpoints import checkpoint as files
from engine.families.span_qa import ask, checkpoint
from engine.families.span_qa.questions import Question
from tests.engine.families.span_qa.ask.conftest import TEXT, Run
from tests.factories.command_line import one_line_error
from tests.factories.recipes import kind_recipe
from tests.factories.span_qa import toy_answerer, toy_questions, write_source


def _expected(model: str, question: str, context: str = TEXT, keep: int = 1) -> Any:
    (answer,) = checkpoint.load(Path(model)).answer([Question("1", question, context)], keep)
    return answer


def _rows(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.split("\n") if line]


def test_an_answer_stands_alone_on_its_line(run: Run, model: str, text: Path) -> None:
    """Then where it was found, how probable it is, and the probability of no answer; line breaks become spaces."""
    code, out, _ = run("--context", text, "--question", "How is the dog?")
    expected = _expected(model, "How is the dog?")
    lines = out.splitlines()
    assert code == 0
    assert lines[0] == " ".join(expected.best[0].text.split("\n"))
    assert f"[{lines[0]}]" in lines[1]
    assert f"{expected.best[0].probability:6.1%}" in lines[1]
    assert lines[2] == f"     {expected.nothing:6.1%}  no answer"
    assert len(lines) == 3


def test_json_is_one_object_a_question(run: Run, model: str, text: Path) -> None:
    """With places that cut the answer from the text; several questions are answered in order."""
    texts = ["How is the dog?", "How is the cup?", "what"]
    code, out, _ = run(
        "--context", text, "--json", "--best", 3, *(part for question in texts for part in ("-q", question))
    )
    rows = _rows(out)
    assert code == 0
    assert [row["question"] for row in rows] == texts
    for row, wording in zip(rows, texts, strict=True):
        expected = _expected(model, wording, keep=3)
        assert row["answer"] == expected.best[0].text == row["best"][0]["text"]
        assert (row["windows"], row["no_answer"]) == (expected.windows, pytest.approx(expected.nothing, abs=1e-5))
        assert len(row["best"]) == 3
        assert all(span["text"] == TEXT[span["start"] : span["end"]] for span in row["best"])
        shares = [span["probability"] for span in row["best"]]
        assert shares == sorted(shares, reverse=True)
        assert 0 < sum(shares) <= 1


def test_best_lists_candidates(run: Run, text: Path) -> None:
    """One numbered line each, after the answer."""
    code, out, _ = run("--context", text, "-q", "How is the dog?", "--best", 4)
    assert code == 0
    assert [line.split(".")[0].strip() for line in out.splitlines()[1:5]] == ["1", "2", "3", "4"]
    assert run("--context", text, "-q", "how", "--best", 21)[0] == 2


def test_a_threshold_keeps_a_doubtful_answer_back(run: Run, model: str, text: Path) -> None:
    """Below the probability of no answer nothing is answered; the candidates stay to be seen."""
    doubt = _expected(model, "how?").nothing
    for threshold, answered in ((max(doubt - 0.01, 0), False), (min(doubt + 0.01, 1), True)):
        _, out, _ = run("--context", text, "-q", "how?", "--threshold", threshold)
        assert (out.splitlines()[0] != "(no answer)") == answered
        _, out, _ = run("--context", text, "-q", "how?", "--threshold", threshold, "--json")
        (row,) = _rows(out)
        assert bool(row["answer"]) == answered
        assert row["best"][0]["text"]
    assert run("--context", text, "-q", "how?", "--threshold", 1.5)[0] == 2


def test_standard_input_is_a_text(run: Run, text: Path) -> None:
    """With - as its name, with or without a byte-order mark."""
    _, expected, _ = run("--context", text, "-q", "How is the dog?", "--json")
    for begin in (b"", b"\xef\xbb\xbf"):
        code, out, _ = run("--context", "-", "-q", "How is the dog?", "--json", stdin=begin + TEXT.encode())
        assert (code, out) == (0, expected)


def test_line_ends_of_windows_count_as_they_are(run: Run, tmp_path: Path) -> None:
    """Places are those of the file's own characters."""
    context = "The box is red.\r\nThe cup is blue.\r\n"
    (tmp_path / "crlf.txt").write_bytes(context.encode())
    _, out, _ = run("--context", tmp_path / "crlf.txt", "-q", "How is the cup?", "--best", 9, "--json")
    spans = _rows(out)[0]["best"]
    assert any(span["start"] > context.index("\r\n") for span in spans)
    assert all(span["text"] == context[span["start"] : span["end"]] for span in spans)


@pytest.mark.parametrize(
    "context",
    [
        "🙂 The 👩\u200d👩\u200d👧 dog 🙂 is red 👍🏽.",
        "The dog is \u202ered\u202c.",
        "a\x00b \x1b[31mred\x1b[0m",
        "The café is old.",
        "e\u0301" * 40,
        "x" * 500,
        "red " * 400,
        "The\u2028dog",
    ],
)
def test_any_characters_are_answered(run: Run, tmp_path: Path, context: str) -> None:
    """The answer is cut from the text; on a terminal nothing of it is a control character."""
    (tmp_path / "in.txt").write_bytes(context.encode())
    code, out, _ = run("--context", tmp_path / "in.txt", "-q", "How is the dog?", "--json", "--best", 5)
    assert code == 0
    for span in _rows(out)[0]["best"]:
        assert span["text"] == context[span["start"] : span["end"]] != ""
    code, out, _ = run("--context", tmp_path / "in.txt", "-q", "How is the dog?", "--best", 5)
    assert code == 0
    assert all(line.isprintable() for line in out.splitlines())


@pytest.mark.parametrize(
    ("question", "context", "warned"),
    [
        ("How is the dog?", TEXT, False),
        ("서울은 어디인가요?", TEXT, True),
        ("How is 서울?", "The dog is 서울.", False),
        ("How is it?", "서울은 대한민국의 수도이다.", True),
        ("Где собака?", TEXT, True),
        ("How?", "מזג האוויר נאה היום", True),
        ("Wie ist der Hund?", "Der Hund ist alt.", True),
        ("1 + 1?", "1 + 1 = 2", False),
    ],
)
def test_another_script_than_the_models_is_told(
    run: Run, tmp_path: Path, question: str, context: str, warned: bool
) -> None:
    """A warning stands beside an answer where script or vocabulary are not the model's; right-to-left text as well."""
    (tmp_path / "in.txt").write_bytes(context.encode())
    code, out, err = run("--context", tmp_path / "in.txt", "-q", question)
    assert code == 0
    assert out
    assert ("its answer is a guess" in err) == warned


def test_words_that_the_vocabulary_lacks_are_told(tmp_path: Path) -> None:
    """Where the script is right and every word unknown the answer is a guess too; numbers and signs are no words."""
    answerer = toy_answerer(write_source(tmp_path / "encoder"), language="ko")
    assert ask.unreadable(answerer, Question("1", "한국의 수도는?", "The dog is red."))
    assert not ask.unreadable(answerer, Question("1", "How?", "The dog is red."))
    assert not ask.unreadable(answerer, Question("1", "?!", "..."))


WRONG: dict[str, tuple[list[str], bytes, int, str]] = {
    "an empty question": (["--context", "IN", "-q", ""], b"red", 1, "The question '1' is empty"),
    "a question of spaces": (["--context", "IN", "-q", "how?", "-q", " \t"], b"red", 1, "The question '2' is empty"),
    "an empty text": (["--context", "IN", "-q", "how?"], b" \n", 1, "has an empty text"),
    "a text too long": (["--context", "IN", "-q", "how?"], b"x" * 100_001, 1, "has 100,001 characters; 100,000 are"),
    "not utf-8": (["--context", "IN", "-q", "how?"], "서울".encode("cp949"), 1, "not UTF-8 text (byte 1)"),
    "half a character": (["--context", "IN", "-q", "how \udce9?"], b"red", 1, "is not UTF-8"),
    "no such file": (["--context", "GONE", "-q", "how?"], b"", 1, "There is no file"),
    "a folder": (["--context", "FOLDER", "-q", "how?"], b"", 1, "Is a directory"),
    "no question": (["--context", "IN"], b"red", 2, "give a text with --context and --question"),
    "no text": (["-q", "how?"], b"", 2, "give a text with --context and --question"),
    "both": (["--context", "IN", "-q", "how?", "--input", "IN", "--output", "OUT"], b"red", 2, "give a text with"),
    "input without output": (["--input", "IN"], b"", 2, "--input and --output belong together"),
    "a file and a question": (["--input", "IN", "--output", "OUT", "-q", "how?"], b"", 2, "give a text with"),
    "input is not there": (["--input", "GONE", "--output", "OUT"], b"", 1, "There is no file"),
    "input of another form": (["--input", "IN", "--output", "OUT"], b"x", 1, ".txt is not read"),
    "output of another form": (["--input", "IN", "--output", "OUT.csv"], b"x", 1, "must end in .json"),
    "output in no folder": (["--input", "IN", "--output", "GONE/out.json"], b"x", 1, "there is no folder"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_asked_is_told_in_one_line(run: Run, tmp_path: Path, case: str) -> None:
    """With exit code 1, or 2 for a wrong use; nothing is written, on the terminal or beside the input."""
    arguments, content, expected, message = WRONG[case]
    places = {
        "IN": tmp_path / "in.txt",
        "GONE": tmp_path / "gone.json",
        "FOLDER": tmp_path,
        "OUT": tmp_path / "o.json",
        "OUT.csv": tmp_path / "o.csv",
        "GONE/out.json": tmp_path / "gone" / "out.json",
    }
    places["IN"].write_bytes(content)
    result = run(*(places.get(part, part) for part in arguments))
    assert (result.code, result.out) == (expected, "")
    assert message in (one_line_error(result) if expected == 1 else " ".join(result.err.replace("│", " ").split()))
    assert [file.name for file in tmp_path.iterdir()] == ["in.txt"]


def test_not_utf8_on_standard_input_is_told(run: Run) -> None:
    """It has no file's name."""
    error = one_line_error(run("--context", "-", "-q", "how?", stdin="서울".encode("cp949")))
    assert error.startswith("Error: Standard input: not UTF-8 text")


def test_the_longest_text_is_answered(run: Run, tmp_path: Path) -> None:
    """Exactly as many characters as are allowed."""
    (tmp_path / "in.txt").write_text("reddish " * 12_500)
    code, out, _ = run("--context", tmp_path / "in.txt", "-q", "how?", "--json")
    assert code == 0
    assert _rows(out)[0]["windows"] > 1000


def test_a_model_that_cannot_answer_is_refused(run: Run, text: Path, tmp_path: Path) -> None:
    """A classifier, a pickle, a folder without a model, a name that means nothing: one line each."""
    files.save(tmp_path / "classifier", kind_recipe("cnn", embedding_dim=4, filters=2), {"x": torch.zeros(1)}, {})
    (tmp_path / "pickle").mkdir()
    torch.save({"x": torch.zeros(1)}, tmp_path / "pickle" / "pytorch_model.bin")
    (tmp_path / "empty").mkdir()
    for name, message in (
        (tmp_path / "classifier", "has no question-answering head; it classifies texts"),
        (tmp_path / "pickle", "may hold a pickle, which is never read"),
        (tmp_path / "pickle" / "pytorch_model.bin", "There is no model"),
        (tmp_path / "empty", "is not a checkpoint"),
        ("no-such-model", "There is no model 'no-such-model'. Tried: the shipped checkpoints"),
    ):
        result = run("--context", text, "-q", "how?", name=str(name))
        assert message in one_line_error(result)
        assert result.out == ""
    assert not default_database().exists()


def test_as_a_library_it_answers_and_refuses_alike(tmp_path: Path) -> None:
    """The same limits for a program; several texts at once."""
    answerer = toy_answerer(write_source(tmp_path / "encoder"))
    some = toy_questions(4)
    assert [item.best[0].text for item in ask.ask(answerer, some)] == [
        item.best[0].text for item in answerer.answer(some)
    ]
    answer = ask.ask(answerer, some, keep=3)[0]
    assert len(answer.best) == 3
    assert ask.text_of(answer, None) == ask.text_of(answer, 1.0) == answer.best[0].text
    assert ask.text_of(answer, 0.0) == ""
    with pytest.raises(ask.DataError, match="empty"):
        ask.ask(answerer, [*some, Question("x", "", "red")])
