"""The ablation on its board: the answer, the figure and the table, and the commands where something is missing."""

import json

import pytest

from dashboard.charts import contrasts
from dashboard.findings import ablation
from dashboard.findings.ablation import ENGLISH, ENGLISH_TEXT, KOREAN_TEXT
from dashboard.ui.theme import family_colours
from db.analysis.findings.ablation import Study, find
from db.runs.writer import MetricValue
from db.storage.store import Store
from engine.recipes import loader
from tests.dashboard.page_driver import Look, headings, plainly, words_of
from tests.db.analysis.findings.test_ablation import add, fill
from tests.factories.runs import add_run

LOST = {"minilm-l3-no-kl": 3.0, "minilm-l3-no-cosine": 1.0, "minilm-l3-no-mlm": -0.5, "minilm-l3-random": 20.0}


def test_the_printed_differences_and_the_commands_stand_first(look: Look) -> None:
    """Before anything was measured: four printed rows, dashes, and what measures them."""
    app = look("leaderboard", task=ENGLISH.printed_task)
    assert "Effect of each part of distillation" in headings(app)
    shown = app.table[0].value
    assert shown["Printed"].str.replace("\\", "").tolist() == ["−2.96", "−1.46", "−0.31", "−3.69"]
    assert set(shown["Measured"]) == {"–"}
    assert (
        "Nothing was measured here yet: the figure shows the printed differences alone. These "
        "commands measure ours, on a folder DIR with the data of these tasks and text in their language:"
    ) in words_of(app)
    assert "featherboard sweep $student-squad --data DIR --seeds 0,1,2" in words_of(app)
    assert "**DistilMiniLM on" not in words_of(app).split("Effect of each part")[0]


def test_the_answer_stands_above_and_the_seeds_below(board: Store, look: Look) -> None:
    """When all is measured: one sentence, each seed, what the differences are from, and no command."""
    fill(board, LOST)
    app = look("leaderboard", task=ENGLISH.printed_task)
    words = plainly(app)
    assert "**DistilMiniLM on English NLI and English QA:** Most is lost without the teacher's weights at" in words
    assert "at the start: −20.50 ± 0.50 points" in words
    assert "With all parts: 67.00 on average over 3 seeds." in words
    shown = app.table[0].value.replace({r"\\": ""}, regex=True)
    assert shown["Measured"].tolist() == ["−3.50 ± 0.50", "−1.50 ± 0.50", "0.00 ± 0.50", "−20.50 ± 0.50"]
    assert shown["Seeds"].iloc[0] == "−3.00, −3.50, −4.00"
    assert "featherboard sweep" not in words


def test_a_part_that_is_missing_keeps_the_commands(board: Store, look: Look) -> None:
    """Half an ablation shows what is there and how to go on."""
    fill(board, {"minilm-l3-no-kl": 3.0}, seeds=1)
    app = look("leaderboard", task=ENGLISH.printed_task)
    assert "Not every part was measured yet. These commands do what is missing and skip what is there:" in words_of(app)
    assert app.table[0].value.replace({r"\\": ""}, regex=True)["Measured"].tolist() == ["−3.00", "–", "–", "–"]


def test_other_boards_have_no_such_section(board: Store, look: Look) -> None:
    """The section belongs to one board."""
    add(board, "minilm-l3", "mnli", 0, 70)
    assert "Effect of each part of distillation" not in [
        heading.value for heading in look("leaderboard", task="mnli").subheader
    ]


def test_the_marks_keep_their_meaning(board: Store) -> None:
    """Printed is a hollow circle, measured a filled one with its spread, each seed a tick below it."""
    fill(board, LOST)
    marks = ablation.points(find(board, ENGLISH), ENGLISH.family)
    figure = contrasts.ablation(marks, family_colours(("a board", family) for family in marks["family"]))
    printed, measured, seeds = figure.data
    assert (printed.marker.symbol, measured.marker.symbol) == ("circle-open", "circle")
    assert printed.marker.color != measured.marker.color
    assert list(printed.x) == [-2.96, -1.46, -0.31, -3.69]
    assert list(measured.error_x.array) == pytest.approx([0.5] * 4)
    assert len(seeds.x) == 12
    assert (printed.y < measured.y).all()
    assert sorted(set(seeds.y)) == pytest.approx([index + 0.21 for index in measured.y])
    assert measured.text[3] == "Without the teacher's weights at the start: −20.50 ± 0.50, 3 seeds"


@pytest.mark.parametrize("study", ablation.STUDIES)
def test_the_commands_name_recipes_that_ship(study: Study) -> None:
    """What the empty state tells to type exists, and every student starts from the right recipe."""
    commands = ablation.commands(study)
    for name in study.students:
        assert f" {name} " in commands.replace(";", " ").replace("\n", " ")
        for task in study.tasks:
            recipe = loader.load(study.recipe(name, task))
            assert (recipe.task, recipe.family) == (task, study.family)
            assert study.own or recipe.model.source == f"distilled:{name}"


def _add_student(board: Store, study: Study, student: str, seed: int, percent: float) -> None:
    """A student scored as it is; its recipe says what it is made of."""
    kl = 5.0 if student == study.baseline else 0.0
    recipe = {"model": {"kind": "student", "source": "masked-lm:t"}, "triple": {"kl": kl}}
    facts = {"recipe": student, "recipe_json": json.dumps(recipe), "task_id": study.tasks[0], "seed": seed}
    add_run(board, MetricValue("masked_accuracy", percent / 100, 4_943), accuracy=0.5, **facts)


def test_studies_stand_one_below_the_other(board: Store, look: Look) -> None:
    """One appears as soon as one part of it was measured: students on text, and what was fine-tuned from them."""
    fill(board, LOST)
    for study in (ENGLISH_TEXT, KOREAN_TEXT):
        for student, score in ((study.baseline, 60.0), (study.parts[0].recipe, 40.0)):
            _add_student(board, study, student, 0, score)
    app = look("leaderboard", task=ENGLISH.printed_task)
    words = plainly(app)
    assert "**DistilMiniLM on English NLI and English QA:** Most is lost" in words
    assert "**DistilE5 on Masked words, Korean:**" not in words, "one seed tells nothing apart"
    assert "**DistilE5 on Masked words, Korean**" in words
    assert [len(element.value) for element in app.table] == [4, 4, 4]
    assert "featherboard sweep $student --data DIR" in words


def test_students_are_scored_as_they_are_too(board: Store) -> None:
    """On text that they have not read, by their own recipes, which differ in what the study changes."""
    for seed in range(3):
        _add_student(board, KOREAN_TEXT, KOREAN_TEXT.baseline, seed, 20.0)
        _add_student(board, KOREAN_TEXT, KOREAN_TEXT.parts[0].recipe, seed, 18.0 - 0.1 * seed)
    (part,) = find(board, KOREAN_TEXT).measured
    assert (part.part.printed, part.mean, part.clear) == ("distilbert-no-ce", pytest.approx(-2.1), True)
