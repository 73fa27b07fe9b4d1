"""Reviews of goods and games: read from their files, added to a training split, and scored on."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from db.analysis import paired_answers
from db.base.paths import checkpoint_folder, default_database
from db.bootstrap import create
from db.runs import detail
from db.storage.store import Store
from engine.base.errors import DataError, RecipeError
from engine.data import corpora, extra_training_data
from engine.recipes import loader
from engine.recipes.schema import Recipe
from engine.training import run as pipeline
from engine.training.job import Job
from engine.workflows import evaluate as jobs
from tests.factories.command_line import CommandLine, one_line
from tests.factories.recipes import content, toy_set, write_reviews
from tests.factories.runs import leaderboard

SHOPPING = ["5\t좋은 가방", "1\t나쁜 가방", "4\t멋진 책\t탭", "2\t지루한 책", '5\t"훌륭한', "1\t"]
STEAM = ["1\t재미있는 영화", "0\t끔찍한 음악", "0\t아쉬운 결말"]


def _recipe(name: str = "toy", add: tuple[str, ...] = (), **more: Any) -> Recipe:
    return loader.validate({**content(name, epochs=1), "data": {"add": list(add)}, **more}, name)


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """The toy task with both files beside it."""
    path = write_reviews(tmp_path / "reviews")
    (path / "naver_shopping.txt").write_bytes("\n".join(SHOPPING).encode() + b"\n")
    (path / "steam").mkdir()
    (path / "steam" / "steam.txt").write_bytes("\r\n".join(STEAM).encode())
    return str(path)


@pytest.fixture
def run(command_line: CommandLine) -> Callable[..., tuple[int, str]]:
    """Run the command line in this process; exit code, and everything that it printed."""

    def call(*arguments: str) -> tuple[int, str]:
        code, out, err = command_line(*arguments)
        return code, out + err

    return call


def test_the_files_are_read_as_they_are(folder: str) -> None:
    """Ratings become classes, tabs and quotation marks are content, and a file may lie in a folder of its own."""
    shopping, steam = extra_training_data.load("naver-shopping", folder), extra_training_data.load("steam", folder)
    assert shopping.labels.tolist() == [1, 0, 1, 0, 1, 0]
    assert [text[0] for text in shopping.texts] == [line.partition("\t")[2] for line in SHOPPING]
    assert shopping.ids[:2] == ["naver-shopping-1", "naver-shopping-2"]
    assert steam.labels.tolist() == [1, 0, 0]
    assert steam.texts[-1] == ("아쉬운 결말",)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("5\t좋은\n3\t그저", "naver_shopping.txt, line 2: must be one of 1, 2, 4, 5, a tab and a review"),
        ("5\t좋은\n\n", "line 2: must be one of"),
        ("5 좋은", "line 1: must be one of"),
        ("rating\treview\n5\t좋은", "line 1: must be one of 1, 2, 4, 5, a tab and a review; it begins with 'rating'"),
        ("", "holds no rows"),
    ],
)
def test_a_wrong_line_is_told_with_its_number(tmp_path: Path, lines: str, message: str) -> None:
    """A rating that does not occur, a missing tab, a header or an empty file is refused."""
    (tmp_path / "naver_shopping.txt").write_text(lines, "utf-8")
    assert message in one_line(lambda: extra_training_data.load("naver-shopping", str(tmp_path)), DataError)


def test_a_file_in_another_encoding_is_told(tmp_path: Path) -> None:
    """Not UTF-8 is told with the line."""
    (tmp_path / "steam.txt").write_bytes("1\t좋은\n".encode("cp949"))
    with pytest.raises(DataError, match=r"steam\.txt, line 1: not UTF-8"):
        extra_training_data.load("steam", str(tmp_path))


def test_a_missing_file_names_the_way_out(tmp_path: Path) -> None:
    """One line names the file and the override that does without."""
    path = str(write_reviews(tmp_path / "reviews"))
    text = one_line(
        lambda: extra_training_data.load_corpus(_recipe(add=("steam",)), "reviews-ko-mini", path), DataError
    )
    assert "holds no steam.txt" in text
    assert "--set data.add=[]" in text
    with pytest.raises(DataError, match="there are naver-shopping, steam"):
        extra_training_data.load("nosuch", path)


def test_they_join_the_training_split_alone(folder: str) -> None:
    """Train grows, test stays, the hash tells; a mini corpus stays as it is."""
    plain = corpora.load("reviews-ko-mini", folder)
    recipe = _recipe(add=("naver-shopping", "steam"))
    more = extra_training_data.load_corpus(recipe, "reviews-ko-mini", folder)
    assert len(more.train) == len(plain.train) + len(SHOPPING) + len(STEAM)
    assert more.train.ids[: len(plain.train)] == plain.train.ids
    assert more.test.sha256 == plain.test.sha256
    single = extra_training_data.load_corpus(_recipe(add=("steam",)), "reviews-ko-mini", folder)
    assert len({plain.sha256, more.sha256, single.sha256}) == 3
    assert extra_training_data.load_corpus(_recipe(), "reviews-ko-mini", folder).sha256 == plain.sha256
    mini = corpora.load("reviews-ko-mini", None)
    assert extra_training_data.load_corpus(recipe, "reviews-ko-mini", None).sha256 == mini.sha256


def test_they_fit_the_sentiment_of_single_texts_alone(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A task of pairs or of three classes does not take them."""
    corpus = corpora.load("nli-en-mini", None)
    monkeypatch.setattr(corpora, "load", lambda *_, **__: corpus)
    with pytest.raises(DataError, match=r"data\.add: steam is about the sentiment of single texts"):
        extra_training_data.load_corpus(_recipe(add=("steam",)), "nli-en-mini", folder)


@pytest.mark.parametrize("value", ["[steam]", '["steam", "steam"]', '["books"]', "steam"])
def test_a_wrong_list_is_told(value: str) -> None:
    """Unknown names, names twice and what is no list are refused in one line that names the key."""
    with pytest.raises(RecipeError, match=r"data"):
        loader.load("kobilstm-tiny", [f"data.add={value}"])


def test_a_recipe_without_additions_keeps_its_digest() -> None:
    """The section is new and its default says nothing, so old runs are still the runs of their recipe."""
    assert loader.load("kobilstm-tiny").digest() == loader.load("kobilstm-tiny", ["data.add=[]"]).digest()
    assert loader.load("kobilstm-tiny").digest() != loader.load("kobilstm-tiny", ['data.add=["steam"]']).digest()
    renamed = loader.load("kobilstm-tiny", ["model_id=another"])
    assert renamed.digest() == loader.load("kobilstm-tiny").digest()
    assert (renamed.listed_as, loader.load("kobilstm-tiny").listed_as) == ("another", "kobilstm-tiny")


def test_a_run_tells_what_it_was_trained_on(folder: str, store: Store) -> None:
    """Data set, notes and hash name the additions, and runs with and without are paired on the same test examples."""
    create.initialise(store)
    plain = pipeline.train(Job(_recipe(), folder, store))
    more = pipeline.train(Job(_recipe("more", ("naver-shopping", "steam"), model_id="toy"), folder, store))
    facts = {run_id: detail.run_detail(store, run_id).run for run_id in (plain, more)}
    assert facts[plain]["dataset"] == "reviews-ko-mini"
    assert "48 examples of its training split" in facts[plain]["notes"]
    assert facts[more]["dataset"] == "reviews-ko-mini+naver-shopping+steam"
    assert "Trained on reviews-ko-mini+naver-shopping+steam, 57 examples" in facts[more]["notes"]
    assert facts[more]["dataset_hash"] != facts[plain]["dataset_hash"]
    assert facts[plain]["model_id"] == facts[more]["model_id"] == "toy"
    assert facts[more]["recipe"] == "more"
    with store.read() as con:
        assert paired_answers.count_pairs(con, [(plain, more)])[0].n == 16
    board = leaderboard(store, "reviews-ko-mini", every_run=False)
    assert {plain, more} <= set(board["run_id"])


def test_how_much_of_a_split_there_was_leaves_out_what_was_added() -> None:
    """14,903 pairs and 24,998 Korean ones were called 39,901 of the first data set's 392,702."""
    recipe = _recipe(add=("steam",))
    assert extra_training_data.named(recipe, "nsmc", "folder", 40, 150_000) == "nsmc (40 of 150,000)+steam"
    assert extra_training_data.named(recipe, "nsmc", "folder", 150_000, 150_000) == "nsmc+steam"


def test_a_teacher_learns_from_the_same_examples(
    folder: str, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A student's additions are its teacher's, trained once, with a command that says so; another student reuses it."""
    create.initialise(store)
    teacher = _recipe("tutor")
    original = loader.load

    def load(which: str, overrides: Any = (), seed: int | None = None, *, mini: bool = False) -> Recipe:
        if which != "tutor":
            return original(which, overrides, seed, mini=mini)
        add = ("steam",) if overrides else ()
        return _recipe("tutor", add, seed=seed or teacher.seed)

    monkeypatch.setattr(loader, "load", load)
    for name in ("one", "two"):
        pipeline.train(Job(_recipe(name, ("steam",), distill={"teacher": "tutor"}), folder, store))
    rows = store.query("SELECT name, dataset, dataset_hash, command FROM runs WHERE source = 'measured'")
    assert sorted(rows["name"]) == ["Toy one", "Toy tutor", "Toy two"]
    assert set(rows["dataset"]) == {"reviews-ko-mini+steam"}
    assert rows["dataset_hash"].nunique() == 1
    (command,) = rows.loc[rows["name"] == "Toy tutor", "command"]
    assert command.endswith("""--set 'data.add=["steam"]'""")


def test_evaluate_and_resume_look_for_the_same_additions(
    folder: str, store: Store, capfd: pytest.CaptureFixture[str]
) -> None:
    """A run with additions is scored again with them there, and refused where they are gone."""
    create.initialise(store)
    run_id = pipeline.train(Job(_recipe(add=("steam",)), folder, store, threads=1))
    jobs.evaluate(store, run_id, folder, 1, keep=False)
    assert "The stored accuracy is reproduced." in capfd.readouterr().err
    (Path(folder) / "steam" / "steam.txt").unlink()
    with pytest.raises(DataError, match=r"steam\.txt"):
        jobs.evaluate(store, run_id, folder, 1, keep=False)
    # The checkpoint alone was trained on whatever it was, and needs no training data to be scored.
    jobs.evaluate(store, str(checkpoint_folder(store.path, run_id)), folder, 1, keep=False)


def test_a_model_is_scored_on_other_reviews(run: Callable[..., tuple[int, str]], folder: str) -> None:
    """--on prints accuracy with its interval, stores nothing, and says when the reviews were trained on."""
    store = Store(default_database())
    create.initialise(store)
    run_id = pipeline.train(Job(_recipe(add=("steam",)), folder, store, threads=1))
    before = store.query("SELECT * FROM metrics WHERE run_id = ? ORDER BY name", [run_id])
    code, err = run("evaluate", run_id[:12], "--data", folder, "--on", "naver-shopping", "--threads", "1")
    assert code == 0, err
    assert "Toy toy on 6 texts of naver-shopping" in err
    assert "Accuracy" in err
    assert " to " in err
    assert "training split" not in err
    code, err = run("evaluate", run_id[:12], "--data", folder, "--on", "steam", "--threads", "1")
    assert code == 0
    assert "These texts were in its training split" in err
    assert store.query("SELECT * FROM metrics WHERE run_id = ? ORDER BY name", [run_id]).equals(before)
    assert run("evaluate", run_id, "--data", folder, "--on", "books")[0] == 1
    for wrong in (("--on", "steam"), ("--on", "steam", "--data", "hub"), ("--on", "steam", "--data", folder, "--keep")):
        assert run("evaluate", run_id, *wrong)[0] == 2


def test_the_toy_texts_are_not_among_them() -> None:
    """The additions of these tests are reviews of their own."""
    assert not {text for (text,) in toy_set(48).texts} & {line.partition("\t")[2] for line in (*SHOPPING, *STEAM)}
