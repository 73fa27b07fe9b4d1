"""Questions out of files: every form, each wrong file told in one line that names the place."""

import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from engine.base.errors import DataError
from engine.families.span_qa import questions
from engine.families.span_qa.questions import Gold, Question, make_set
from engine.recipes.schema import TrainConfig
from tests import paths
from tests.engine.families.span_qa.questions.tables import CONTEXT, QUESTION, message, row, write
from tests.factories.span_qa import as_squad, toy_questions, write_squad

SHARED = paths.SHARED / "data"


@pytest.mark.parametrize("form", [".json", ".csv", ".jsonl", ".parquet"])
def test_every_form_gives_the_same_questions(tmp_path: Path, form: str) -> None:
    """Ids, texts with line ends and emoji, all answers and their places, in order; hence one hash for all forms."""
    expected = [QUESTION, replace(QUESTION, id="q2", answers=(Gold("서울", 0),)), *toy_questions(4)]
    file = tmp_path / f"in{form}"
    if form == ".json":
        file.write_text(json.dumps(as_squad(expected), ensure_ascii=False), "utf-8")
        expected = [
            question
            for text in dict.fromkeys(o.context for o in expected)
            for question in expected
            if question.context == text
        ]
    else:
        write(file, [row(question) for question in expected])
    result = questions.read(file)
    assert result.questions == expected
    assert result.sha256 == make_set(expected).sha256
    assert len(result) == 6


@pytest.mark.parametrize("form", [".csv", ".jsonl", ".parquet"])
def test_answers_may_be_json_or_a_list_of_objects(tmp_path: Path, form: str) -> None:
    """The hub's two lists, SQuAD's list of objects, and either as JSON text; none, null and nothing are no answers."""
    lists = {"text": ["Seoul"], "answer_start": [26]}
    objects = [{"text": "Seoul", "answer_start": 26}]
    for answers in (json.dumps(lists), json.dumps(objects), *([lists, objects] if form != ".csv" else [])):
        rows = [{"id": "a", "question": "?", "context": CONTEXT, "answers": answers}]
        file = tmp_path / f"in{form}"
        if form == ".csv":
            pd.DataFrame(rows).to_csv(file, index=False)
        else:
            write(file, rows)
        assert questions.read(file).questions[0].answers == (Gold("Seoul", 26),)
    rows = [{"id": "a", "question": "?", "context": CONTEXT, "answers": None}]
    assert questions.read(write(tmp_path / "none.jsonl", rows)).questions[0].answers == ()
    empty = tmp_path / "none.csv"
    empty.write_text("id,question,context,answers\na,?,text,\n")
    assert questions.read(empty).questions[0].answers == ()


@pytest.mark.parametrize("form", [".json", ".csv", ".jsonl"])
def test_a_byte_order_mark_and_windows_line_ends_are_no_content(tmp_path: Path, form: str) -> None:
    """A file that Windows wrote reads as any other; line ends inside a text stay as they are."""
    question = Question("q", "what?", "red\r\nblue", (Gold("blue", 5),))
    file = tmp_path / f"in{form}"
    if form == ".json":
        text = json.dumps(as_squad([question]), indent=1).replace("\n", "\r\n")
    elif form == ".jsonl":
        text = json.dumps(row(question)) + "\r\n"
    else:
        answers = json.dumps(row(question)["answers"]).replace('"', '""')
        text = f'id,question,context,answers\r\nq,what?,"red\r\nblue","{answers}"\r\n'
    file.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert questions.read(file).questions == [question]


def test_questions_without_ids_get_some(tmp_path: Path) -> None:
    """They are numbered; a file in which some ids are missing is refused."""
    rows = [{"question": f"{index}?", "context": "red"} for index in range(3)]
    named = [question.id for question in questions.read(write(tmp_path / "a.jsonl", rows)).questions]
    assert named == ["row-1", "row-2", "row-3"]
    articles = as_squad(toy_questions(3))
    for article in articles["data"]:
        for entry in article["paragraphs"][0]["qas"]:
            del entry["id"]
    (tmp_path / "a.json").write_text(json.dumps(articles))
    loaded = questions.read(tmp_path / "a.json").questions
    assert [question.id for question in loaded] == ["question-1", "question-2", "question-3"]
    assert "row 2: the id is null" in message(write(tmp_path / "b.jsonl", [{**rows[0], "id": "x"}, rows[1]]))
    assert "row 1: the id is 1.5" in message(write(tmp_path / "c.parquet", [{**rows[0], "id": 1.5}]))


def test_numbers_are_ids(tmp_path: Path) -> None:
    """Whole numbers, which many tables count in, and texts with leading zeros stay what they are."""
    rows = [{"id": 7, "question": "?", "context": "red"}, {"id": 8, "question": "?", "context": "red"}]
    assert [question.id for question in questions.read(write(tmp_path / "a.parquet", rows)).questions] == ["7", "8"]
    (tmp_path / "a.csv").write_text("id,question,context\n007,?,red\n")
    assert questions.read(tmp_path / "a.csv").questions[0].id == "007"


def test_missing_texts_are_empty_texts(tmp_path: Path) -> None:
    """A null or NaN is never the word nan; whoever asks refuses an empty question."""
    rows = [{"id": "a", "question": None, "context": "red"}, {"id": "b", "question": "?", "context": None}]
    for form in (".jsonl", ".parquet"):
        result = questions.read(write(tmp_path / f"in{form}", rows)).questions
        assert [(question.question, question.context) for question in result] == [("", "red"), ("?", "")]


def test_answers_are_not_needed_to_ask(tmp_path: Path) -> None:
    """A question that only wants an answer is read."""
    rows = [row(QUESTION), row(replace(QUESTION, id="open", answers=()))]
    file = write(tmp_path / "in.jsonl", rows)
    assert [len(question.answers) for question in questions.read(file).questions] == [2, 0]


def test_guessed_places_are_marked(tmp_path: Path) -> None:
    """Only where the table says that a place is a guess; a place that is sure has another word."""
    rows = [{**row(replace(QUESTION, id=word)), "start_source": word} for word in ("guess", "unique", "sentence")]
    for form in (".parquet", ".csv", ".jsonl"):
        result = questions.read(write(tmp_path / f"in{form}", rows)).questions
        assert [question.guessed for question in result] == [True, False, False]


def test_the_hash_is_of_the_content(tmp_path: Path) -> None:
    """Any change of an id, text, answer, place or of the order gives another; reading twice gives the same."""
    base = [QUESTION, *toy_questions(3)]
    changed = [
        base[::-1],
        base[:-1],
        [replace(QUESTION, id="other"), *base[1:]],
        [replace(QUESTION, question="x"), *base[1:]],
        [replace(QUESTION, context=f"{CONTEXT} "), *base[1:]],
        [replace(QUESTION, answers=QUESTION.answers[:1]), *base[1:]],
        [replace(QUESTION, answers=(Gold("Seoul", 37),)), *base[1:]],
    ]
    hashes = [make_set(version).sha256 for version in (base, *changed)]
    assert len(set(hashes)) == len(hashes)
    assert make_set(list(base)).sha256 == hashes[0]
    assert make_set(base).take([0, 1]).questions == base[:2]


def test_the_mini_corpora_ship() -> None:
    """160 and 80 questions each, with exact places, and no text on both sides."""
    for task in ("qa-en-mini", "qa-ko-mini"):
        corpus = questions.load(task, None)
        assert (len(corpus.train), len(corpus.test)) == (160, 80)
        texts = [{question.context for question in part.questions} for part in (corpus.train, corpus.test)]
        assert not texts[0] & texts[1]
        assert corpus.sha256 == questions.load(task, None).sha256
        assert questions.load_split(task, None, "test").sha256 == corpus.test.sha256


def test_a_folder_is_read_in_the_official_form_and_in_the_hubs(tmp_path: Path) -> None:
    """SQuAD's files, Parquet as on the hub, in a folder below of that name, or in one named like the data set."""
    train, test = toy_questions(6), toy_questions(4, 1, "v")
    for folder in (tmp_path / "official" / "squad", tmp_path / "hub" / "plain_text"):
        folder.mkdir(parents=True)
    for name, part in (("train-v1.1.json", train), ("dev-v1.1.json", test)):
        (tmp_path / "official" / "squad" / name).write_text(json.dumps(as_squad(part)))
    for name, part in (("train-00000-of-00001.parquet", train), ("validation-00000-of-00001.parquet", test)):
        write(tmp_path / "hub" / "plain_text" / name, [row(question) for question in part])
    for folder in (tmp_path / "official", tmp_path / "official" / "squad", tmp_path / "hub"):
        corpus = questions.load("squad", str(folder))
        assert {question.id for question in corpus.train.questions} == {question.id for question in train}
        assert {question.id for question in corpus.test.questions} == {question.id for question in test}


def test_several_files_are_one_split(tmp_path: Path) -> None:
    """In the order of their names; an id that two of them share counts once, and ids that are missing never clash."""
    parts = [toy_questions(3), toy_questions(3, 1, "u")]
    for number, part in enumerate(parts):
        write(tmp_path / f"train-{number}.parquet", [row(question) for question in part])
    write(tmp_path / "validation.parquet", [row(question) for question in toy_questions(2, 2, "v")])
    loaded = questions.load("squad", str(tmp_path)).train.questions
    assert loaded == [*parts[0], *parts[1]]
    for name in ("train-0", "train-1", "validation"):
        rows = [{key: value for key, value in row(question).items() if key != "id"} for question in parts[0]]
        write(tmp_path / f"{name}.parquet", rows)
    corpus = questions.load("squad", str(tmp_path))
    assert [question.id for question in corpus.train.questions] == [f"train-{number}" for number in range(1, 7)]
    assert [question.id for question in corpus.test.questions] == ["test-1", "test-2", "test-3"]
    for number in (0, 1):
        write(tmp_path / f"train-{number}.parquet", [row(question) for question in parts[0]])
    with pytest.raises(DataError, match=r"train-1\.parquet: question 't-0': the id stands there twice"):
        questions.load("squad", str(tmp_path), strict=True)


def test_an_id_in_train_and_test_is_refused(tmp_path: Path) -> None:
    """A model may not be asked what it learned."""
    folder = write_squad(tmp_path, 4, 4)
    (folder / "test.json").write_text((folder / "train.json").read_text())
    with pytest.raises(DataError, match=r"4 id\(s\) stand in train and in test, the first is 'train-0'"):
        questions.load("qa-en-mini", str(folder))


def test_what_is_nowhere_is_told_with_what_to_do(tmp_path: Path) -> None:
    """No folder, a folder without the files, a task that asks nothing, data that do not ship, a hub out of reach."""
    for task, data, expected in (
        ("squad", str(tmp_path / "none"), "--data names the folder that holds train*.parquet"),
        (
            "squad",
            str(tmp_path),
            "train*.parquet, plain_text/train*.parquet, train-v1.1.json, and has no folder squad that does",
        ),
        ("nsmc", None, "The task 'nsmc' has no questions over texts; these have: squad, korquad"),
        ("korquad", None, "do not come with Featherboard. Name their folder with --data DIR"),
        ("qa-en-mini", "hub", "No loadable hub copy of qa-en-mini is known"),
        ("squad", "hub", "Offline? Name a folder with --data."),
    ):
        with pytest.raises(DataError) as caught:
            questions.load(task, data)
        assert expected in str(caught.value)
        assert "\n" not in str(caught.value)


def test_the_hubs_rows_are_checked_like_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong place on the hub is told with the data set's name; questions without ids are numbered by split."""
    import datasets

    rows = [{key: value for key, value in row(question).items() if key != "id"} for question in toy_questions(3)]
    monkeypatch.setattr(datasets, "load_dataset", lambda name, split: datasets.Dataset.from_list(rows))
    corpus = questions.load("squad", "hub")
    assert [question.id for question in corpus.train.questions] == ["train-1", "train-2", "train-3"]
    assert corpus.test.questions[0].answers == toy_questions(1)[0].answers
    rows[1]["answers"] = {"text": ["nothing"], "answer_start": [0]}
    with pytest.raises(DataError, match=r"rajpurkar/squad train: question 'train-2': the answer 'nothing'"):
        questions.load("squad", "hub", strict=True)
    assert "number 2, 'train-2': the answer 'nothing'" in questions.load("squad", "hub").remarks[0]


def test_validation_holds_out_whole_texts() -> None:
    """Every question once, all of a text on one side, the same for one seed, near the fraction that is asked for."""
    train, by_seed = make_set(toy_questions(60)), TrainConfig(validation_fraction=0.2)
    for seed in (0, 1):
        training, held = questions.split_validation(train, by_seed, seed)
        assert sorted([*training, *held]) == list(range(60))
        sides = [{train.questions[i].context for i in side} for side in (training, held)]
        assert not sides[0] & sides[1]
        assert len(sides[1]) == round(0.2 * len(sides[0] | sides[1]))
        again = questions.split_validation(train, by_seed, seed)
        assert [side.tolist() for side in again] == [training.tolist(), held.tolist()]
    assert set(questions.split_validation(train, by_seed, 2)[1]) != set(held)
    assert len(questions.split_validation(make_set(toy_questions(4)), TrainConfig(validation_fraction=0.01), 0)[1]) == 2
    for few in (toy_questions(2), []):
        with pytest.raises(DataError, match="one to learn from and one to choose the epoch by"):
            questions.split_validation(make_set(few), by_seed, 0)


@pytest.mark.parametrize(
    ("file", "count"),
    [
        ("squad/validation.parquet", 10_570),
        ("korquad/KorQuAD_v1.0_dev.json", 5_774),
        ("tydiqa_ko/train.parquet", 1_605),
    ],
)
def test_the_real_files_are_read_whole(file: str, count: int) -> None:
    """The official files have the number of questions that their authors print, every answer at its place."""
    path = SHARED / file
    if not path.is_file():
        pytest.skip(f"{path} is not on this machine")
    result = questions.read(path)
    assert len(result) == count
    assert not any(question.guessed for question in result.questions)
