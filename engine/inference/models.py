"""The models that can be used: the shipped ones, runs whose checkpoint is here, a folder, a model of the hub.

No model is loaded here, and torch is not needed: a page that lists models must not wait for it.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from db.base.paths import runs_folder
from db.base.problems import Code, Message
from db.registry import tasks
from engine.checkpoints.shipped import shipped, shipped_folder
from engine.inference import hub
from engine.inference.schemas import PlaygroundError
from engine.recipes.schema.sections import languages

if TYPE_CHECKING:
    from db.storage.store import Store

TaskType = Literal["qa", "sentiment", "nli", "text"]
TASK_TYPES: tuple[TaskType, ...] = get_args(TaskType)
"""Kinds of input: a question over a text, a review, a premise and a hypothesis, a text with the labels of its task."""

Origin = Literal["shipped", "run", "folder", "hub"]

CARD = "card.json"
FOLDER, HUB = "folder:", "hub:"
"""Before a folder's path, or before the name that a model has on the hub."""

_QA = tuple(task.task_id for task in tasks.TASKS if task.metric == "f1")
_HEADS = {"ForQuestionAnswering": "qa", "ForSequenceClassification": "class"}
_OWN_LABELS: dict[tuple[str, ...], TaskType] = {tasks.SENTIMENT: "sentiment", tasks.INFERENCE: "nli"}
_RUN = re.compile(r"[0-9a-f]{8,32}")

_RUNS = """
    SELECT r.run_id, m.name, r.seed, r.task_id, m.params, p.value AS score, p.name AS metric
    FROM runs r JOIN models m USING (model_id)
    LEFT JOIN tasks t ON t.task_id = r.task_id AND t.version = r.task_version
    LEFT JOIN metrics p ON p.run_id = r.run_id AND p.name = t.metric
    WHERE r.run_id IN (SELECT unnest($ids)) AND r.source = 'measured'
    ORDER BY t.mini, t.position, p.value DESC NULLS LAST, r.run_id
"""

_SCRIPT_CHARACTERS = 2000
"""Of each text, whose letters show its language."""


@dataclass(frozen=True)
class ModelRef:
    """A model that can be tried.

    Attributes:
        key: Names it in an address: a shipped name, a run's id, ``folder:PATH`` or ``hub:OWNER/NAME``.
        name: What people call it.
        origin: Where it comes from.
        folder: Where its files are.
        reads: Its kind of input.
        languages: Of the texts that it learned from, its board's first; empty where unknown.
        task: The board that it was scored on; None where it was not.
        metric: The primary metric of that board.
        score: Its figure there.
        params: Parameters; None where they are known only once it is loaded.
        run_id: Its row of the board; None where it has none.
        encoder: What its adapters stand beside; empty for a model that is whole.
    """

    key: str
    name: str
    origin: Origin
    folder: Path
    reads: TaskType
    languages: tuple[str, ...] = ()
    task: str | None = None
    metric: str | None = None
    score: float | None = None
    params: int | None = None
    run_id: str | None = None
    encoder: str = ""

    @property
    def ours(self) -> bool:
        """Whether it is a checkpoint of ours, and not a model of the transformers library."""
        return (self.folder / CARD).is_file()

    @property
    def language(self) -> str:
        """The language of its board; empty where unknown."""
        return self.languages[0] if self.languages else ""

    @property
    def mini(self) -> bool:
        """Whether it learned from a mini corpus alone."""
        return self.task is not None and tasks.by_id(self.task).mini


def listed(store: "Store", reads: TaskType | None = None) -> list[ModelRef]:
    """Shipped models, then the runs of the board whose checkpoint is here: by board, best first.

    Args:
        store: The database; it need not exist.
        reads: Only models of this kind; None: all.
    """
    return [ref for ref in (*_shipped(), *_runs(store)) if reads is None or ref.reads == reads]


def named(store: "Store", key: str, *, outside: bool = True) -> ModelRef:
    """The model that a key means.

    Args:
        store: The database whose runs are looked through.
        key: See ``ModelRef``.
        outside: Folders and models of the hub may be named too.

    Raises:
        PlaygroundError: There is no such model, it cannot be tried, or it may not be named here.
    """
    if key.startswith((FOLDER, HUB)):
        if not outside:
            raise PlaygroundError(
                f"{key[:80]}: this server answers with its own models only. Folders and models of the hub can be named "
                "where the board is bound to 127.0.0.1."
            )
        return _folder(key) if key.startswith(FOLDER) else _hub(key)
    own = shipped_folder(key)
    if own is not None:
        return _of_card(key, own, "shipped")
    if _RUN.fullmatch(key) and store.exists():
        matches = [ref for ref in _runs(store, key) if ref.run_id and ref.run_id.startswith(key)]
        if len(matches) == 1:
            return matches[0]
    available = ", ".join(shipped()) or "no shipped model"
    raise PlaygroundError(Message(Code.MODEL_MISSING, {"model": key[:80], "shipped": available}))


def default(reads: TaskType, language: str = "en") -> str:
    """The default model of a kind: the best shipped one; empty where none is shipped.

    Args:
        reads: The kind.
        language: Models that learned from texts in this language go first, since scores on other boards do not compare;
            then those whose encoder is on this machine: not every package has a build for a Raspberry Pi.
    """
    refs = [ref for ref in _shipped() if ref.reads == reads]
    best = max(refs, key=lambda ref: (language in ref.languages, _can_answer(ref), ref.score or 0.0), default=None)
    return best.key if best else ""


def _can_answer(ref: ModelRef) -> bool:
    """Whether the encoder that a shipped adapter stands beside is installed."""
    if not ref.encoder:
        return True
    from engine.networks.sources import is_installed  # noqa: PLC0415 - a model without encoder answers without it

    return is_installed(ref.encoder)


def language_of(*texts: str) -> str:
    """``ko`` where most letters of some texts are Hangul, ``en`` elsewhere."""
    letters = [letter for text in texts for letter in text[:_SCRIPT_CHARACTERS] if letter.isalpha()]
    return "ko" if sum("가" <= letter <= "힣" for letter in letters) * 2 > len(letters) else "en"


def _shipped() -> Iterator[ModelRef]:
    for name in shipped():
        folder = shipped_folder(name)
        if folder is not None:
            try:
                yield _of_card(name, folder, "shipped")
            except PlaygroundError:  # a shipped model that reads something else
                continue


def _runs(store: "Store", beginning: str = "") -> Iterator[ModelRef]:
    folders = {
        folder.parent.name: folder
        for folder in runs_folder(store.path).glob(f"{beginning}*/checkpoint")
        if (folder / CARD).is_file()
    }
    if not folders or not store.exists():
        return
    import pandas as pd  # noqa: PLC0415 - a shipped model answers without tables

    for row in store.query(_RUNS, {"ids": list(folders)}).to_dict("records"):
        reads = task_type(str(row["task_id"]))
        if reads is None:
            continue
        seed, score, params = (None if pd.isna(row[name]) else row[name] for name in ("seed", "score", "params"))
        task, name = tasks.by_id(str(row["task_id"])), str(row["name"])
        yield ModelRef(
            str(row["run_id"]),
            name if seed is None else f"{name}, seed {int(seed)}",
            "run",
            folders[str(row["run_id"])],
            reads,
            (task.language,),
            task.task_id,
            task.metric,
            score,
            None if params is None else int(params),
            str(row["run_id"]),
        )


def task_type(task_id: str) -> TaskType | None:
    """The kind of input of a board's models; None where they cannot be tried."""
    if task_id in _QA:
        return "qa"
    if task_id not in tasks.task_ids():
        return None
    task = tasks.by_id(task_id)
    if task.labels in _OWN_LABELS:
        return _OWN_LABELS[task.labels]
    return "text" if task.classifies_texts else None


def _of_card(key: str, folder: Path, origin: Origin, name: str | None = None) -> ModelRef:
    card = _json(folder / CARD)
    recipe, about = card.get("recipe"), card.get("about")
    if not isinstance(recipe, dict) or not isinstance(recipe.get("task"), str):
        raise PlaygroundError(f"{folder / CARD} names no recipe. The model was left alone.")
    reads = task_type(recipe["task"])
    kind = (recipe.get("model") or {}).get("kind")
    if reads is None or kind == "masked-lm":
        raise PlaygroundError(f"{key}: this model neither answers questions nor classifies texts.")
    about = about if isinstance(about, dict) else {}
    task = tasks.by_id(recipe["task"])
    figure = (about.get("metrics") or {}).get(task.metric) or {}
    return ModelRef(
        key,
        name or str(recipe.get("label") or key),
        origin,
        folder,
        reads,
        languages(task.language, (recipe.get("data") or {}).get("add") or ()),
        task.task_id if figure else None,
        task.metric if figure else None,
        figure.get("value"),
        about.get("params"),
        about.get("run"),
        str((recipe.get("model") or {}).get("source", "")) if recipe.get("adapter") else "",
    )


def _folder(key: str) -> ModelRef:
    folder = Path(key.removeprefix(FOLDER)).expanduser()
    if not folder.is_dir():
        raise PlaygroundError(f"There is no folder {folder}.")
    return in_folder(key, folder, "folder", folder.resolve().name)


def _hub(key: str) -> ModelRef:
    name = key.removeprefix(HUB)
    folder = hub.cached(name)
    if folder is None:
        raise PlaygroundError(f"{name} is not on this machine. Fetch it first; its size is shown before.")
    return in_folder(key, folder, "hub", name)


def in_folder(key: str, folder: Path, origin: Origin, name: str) -> ModelRef:
    """A model of ours or of the transformers library in a folder.

    Raises:
        PlaygroundError: It is neither, or is asked something else.
    """
    if (folder / CARD).is_file():
        return _of_card(key, folder, origin)
    if not (folder / "config.json").is_file():
        raise PlaygroundError(f"{folder} holds no model: there is neither a {CARD} of ours nor a config.json.")
    config = _json(folder / "config.json")
    heads = [str(name) for name in config.get("architectures") or []]
    kind = next((kind for ending, kind in _HEADS.items() if any(head.endswith(ending) for head in heads)), None)
    if kind is None:
        raise PlaygroundError(
            f"{name}: its config.json names {', '.join(heads) or 'no architecture'}; a model that ends in "
            "ForQuestionAnswering or ForSequenceClassification is needed."
        )
    labels = config.get("id2label")
    classes = len(labels) if isinstance(labels, dict) else int(config.get("num_labels") or 2)
    if kind == "class" and classes not in {2, 3}:
        raise PlaygroundError(f"{name}: has {classes} classes; two (sentiment) or three (inference) are needed.")
    reads: TaskType = "qa" if kind == "qa" else "sentiment" if classes == 2 else "nli"
    return ModelRef(key, name, origin, folder, reads)


def _json(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise PlaygroundError(f"{file} cannot be read ({type(error).__name__}).") from None
    if not isinstance(content, dict):
        raise PlaygroundError(f"{file} is not a JSON object.")
    return content
