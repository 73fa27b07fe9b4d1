"""Labelled texts of other data sets that a recipe may add to its training split.

Korean reviews of goods and games are the files ``naver_shopping.txt`` and ``steam.txt`` of the public corpus repository
``bab2min/corpus``, folder ``sentiment``: no header, label and review with a tab between, and neither quotation marks
nor anything else is special. Pairs are Parquet files with the columns premise, hypothesis and label: those of KLUE-NLI
Korean, all others English.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from db.base.table_files import read_frame
from db.registry.task_data import ClassificationData
from db.registry.tasks import INFERENCE, SENTIMENT
from engine.base.errors import DataError, RecipeError
from engine.data import corpora, text_transforms
from engine.data.corpora import Corpus
from engine.data.sources import SOURCES
from engine.data.text_sets import FileRows, TextSet, as_set, make_set
from engine.recipes.schema import ADDITIONS, Recipe

DRAWING_SEED = 0
"""Draws the examples of ``data.examples``."""


@dataclass(frozen=True)
class Addition:
    """How one file is stored.

    Attributes:
        file: Its name.
        origin: Where it comes from, for the person who lacks it.
        labels: Names of its classes.
        licence: Of the file, for the card of a model that learned from it.
        classes: Of reviews, the class of each rating; None for pairs, whose labels are class numbers.
        folder: The folder beside the task's data that may hold it; None: one called like the addition.
    """

    file: str
    origin: str
    labels: tuple[str, ...]
    licence: str
    classes: dict[str, int] | None = None
    folder: str | None = None


def _pairs(file: str, origin: str, licence: str, folder: str = "nli_en") -> Addition:
    return Addition(file, origin, INFERENCE, licence, folder=folder)


_REVIEWS = "see bab2min/corpus"


FILES: dict[str, Addition] = {
    "naver-shopping": Addition(
        "naver_shopping.txt", "bab2min/corpus", SENTIMENT, _REVIEWS, {"1": 0, "2": 0, "4": 1, "5": 1}
    ),
    "steam": Addition("steam.txt", "bab2min/corpus", SENTIMENT, _REVIEWS, {"0": 0, "1": 1}),
    "sanli": _pairs("sanli_wiki_train.parquet", "SANLI", "CC-BY-SA-3.0"),
    "conjnli": _pairs("conjnli_train.parquet", "ConjNLI", "MIT, CC-BY-SA"),
    "cad-snli": _pairs("cad_snli_train.parquet", "the counterfactually augmented SNLI", "CC-BY-SA-4.0"),
    "lingnli": _pairs("lingnli_train.parquet", "LingNLI", "none stated"),
    "klue-nli": _pairs("klue_nli_train.parquet", "KLUE-NLI", "CC-BY-SA-4.0", "nli_ko"),
}


def load(name: str, folder: str) -> TextSet:
    """The texts of one file.

    Args:
        name: One of ``FILES``.
        folder: Holds the file, or a folder that does.

    Returns:
        Ids ``NAME-ROW``; classes of ``Addition.labels``.

    Raises:
        DataError: Not known, not there, or a line that is wrong, with its number.
    """
    if name not in FILES:
        raise DataError(f"There is no further data set called {name!r}; there are {', '.join(ADDITIONS)}.")
    known = FILES[name]
    root = Path(folder).expanduser()
    inner = known.folder or name
    paths = [root / known.file, root / inner / known.file]
    file = next((path for path in paths if path.is_file()), None)
    if file is None:
        raise DataError(
            f"{folder} holds no {known.file}, nor does its folder {inner}. Put the file of {known.origin} there, or "
            "train without: --set data.add=[] (the figures will differ)."
        )
    return _read_pairs(file, name) if known.classes is None else _read_reviews(file, name, known.classes)


def _read_pairs(file: Path, name: str) -> TextSet:
    form = ClassificationData(kind="classification", texts=("premise", "hypothesis"), labels=INFERENCE)
    pairs, _ = as_set([FileRows(read_frame(file), file.name)], form, name, strict=True)
    return pairs


def _read_reviews(file: Path, name: str, classes: dict[str, int]) -> TextSet:
    ids, texts, labels = [], [], []
    with file.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            label, text = _parsed(file, number, line, classes)
            ids.append(f"{name}-{number}")
            texts.append((text,))
            labels.append(label)
    if not ids:
        raise DataError(f"{file}: holds no rows.")
    return make_set(ids, texts, np.asarray(labels, dtype=np.int64))


def load_corpus(recipe: Recipe, task_id: str, folder: str | None, *, strict: bool = False) -> Corpus:
    """A task's corpus with what the recipe adds to its training split or leaves out; a mini corpus stays as it is.

    The hash of the corpus is then another one: a run on more examples is never taken for one on fewer. The test split
    is the same, so runs with and without can be compared example by example.

    Args:
        recipe: The recipe.
        task_id: As for ``data.load``.
        folder: As for ``data.load``.
        strict: As for ``data.load``.

    Raises:
        DataError: See ``data.load`` and ``load``.
        RecipeError: It asks for more examples than there are.
    """
    corpus = _as_read(recipe, corpora.load(task_id, folder, strict=strict))
    return corpus if folder is None else _sampled(recipe, _with_additions(recipe, corpus, folder))


def _as_read(recipe: Recipe, corpus: Corpus) -> Corpus:
    """With the full stops at the ends of texts left out where the recipe says so.

    Here, and not only where a model reads them: a premise that stands in the data with its full stop and without it is
    one premise for the split that holds some out.
    """
    if not recipe.data.strip_stops:
        return corpus
    return replace(
        corpus, train=text_transforms.without_stops(corpus.train), test=text_transforms.without_stops(corpus.test)
    )


def _sampled(recipe: Recipe, corpus: Corpus) -> Corpus:
    """With as many training examples as the recipe asks for, the same ones for every seed."""
    count, available = recipe.data.examples, len(corpus.train)
    if count is None:
        return corpus
    if count > available:
        raise RecipeError(f"data.examples = {count}: the training split of {corpus.task_id} has {available}.")
    sample = np.sort(np.random.default_rng(DRAWING_SEED).permutation(available)[:count])
    own = None if corpus.own is None else int((sample < corpus.own).sum())
    return replace(corpus, train=corpus.train.take(sample), own=own)


def _with_additions(recipe: Recipe, corpus: Corpus, folder: str) -> Corpus:
    if not recipe.data.add:
        return corpus
    parts = [corpus.train, *additions(recipe, recipe.data.add, corpus.task_id, folder)]
    together = make_set(
        [example_id for part in parts for example_id in part.ids],
        [text for part in parts for text in part.texts],
        np.concatenate([part.labels for part in parts]),
    )
    return replace(corpus, train=together, own=len(corpus.train))


def additions(recipe: Recipe, names: Sequence[str], task_id: str, folder: str) -> list[TextSet]:
    """Read further data sets of the task's question, as the recipe reads its texts.

    Args:
        recipe: Says whether full stops are left out.
        names: Of ``FILES``.
        task_id: The task.
        folder: As for ``load``.

    Raises:
        DataError: One has other labels or another number of texts, or see ``load``.
    """
    source = SOURCES[task_id]
    for name in names:
        number = 1 if FILES[name].classes else 2
        if FILES[name].labels != source.labels or number != len(source.texts):
            what = "the sentiment of single texts" if number == 1 else "inference between pairs of texts"
            raise DataError(f"data.add: {name} is about {what}, and {task_id} is not. Use --set data.add=[].")
    sets = [load(name, folder) for name in names]
    return [text_transforms.without_stops(texts) for texts in sets] if recipe.data.strip_stops else sets


def named(
    recipe: Recipe, dataset: str, folder: str | None, train_size: int | None = None, whole: int | None = None
) -> str:
    """What a run was trained on, for the board: ``nsmc+naver-shopping+steam``, ``mnli (6,000 drawn)``.

    Args:
        recipe: The recipe.
        dataset: The data set's name.
        folder: As for ``data.load``.
        train_size: Examples of its training split that were found, without additions.
        whole: Examples of the whole one; a part is told as such, ``mnli (14,903 of 392,702)+klue-nli``.
    """
    if folder is None:
        return dataset
    if recipe.data.examples:
        return "+".join([dataset, *recipe.data.add]) + f" ({recipe.data.examples:,} drawn)"
    is_part = train_size is not None and whole is not None and train_size < whole
    return "+".join([f"{dataset} ({train_size:,} of {whole:,})" if is_part else dataset, *recipe.data.add])


def _parsed(file: Path, number: int, line: bytes, classes: dict[str, int]) -> tuple[int, str]:
    try:
        rating, tab, text = line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n").partition("\t")
    except UnicodeDecodeError:
        raise DataError(f"{file}, line {number}: not UTF-8. Nothing was trained.") from None
    if not tab or rating not in classes:
        raise DataError(
            f"{file}, line {number}: must be one of {', '.join(classes)}, a tab and a review; it begins with "
            f"{rating[:20]!r}. Nothing was trained."
        )
    return classes[rating], text
