"""Ensembles: several recipes, each trained once per fold of the training split, whose logits are added up.

Every example of the training split is predicted by models that did not see it. So the weights of the members are
learned on honest predictions, and a student gets honest soft labels on the very examples that it is trained on
(stacking, Wolpert 1992; the models of all folds are kept, as in bagging, for texts that none has seen).
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch.nn import functional

from db.registry import disk_sizes
from db.runs.writer import Artifact
from engine.base.errors import CheckpointError, RecipeError
from engine.checkpoints import checkpoint
from engine.checkpoints.checkpoint import Card
from engine.data.corpora import split_validation
from engine.data.text_sets import TextSet
from engine.networks.classifier import Classifier, Prepared, Texts
from engine.networks.neural_classifier import fastest
from engine.recipes import loader
from engine.recipes.loader import Recipe
from engine.recipes.schema import EnsembleConfig
from engine.trainer.evaluation import scoring

MEMBERS, CHECKPOINT, OWN = "members", "checkpoint", "out_of_fold.safetensors"


@dataclass(frozen=True)
class Member:
    """One recipe of an ensemble, trained once per fold, and how much its logits count."""

    weight: float
    models: list[Classifier]


class EnsembleClassifier(Classifier):
    """The weighted sum of its members' logits, each the mean over its folds."""

    def __init__(self, recipe: Recipe, sha256: str, members: list[Member], own: tuple[str, torch.Tensor]) -> None:
        """Take trained members.

        Args:
            recipe: With an ``EnsembleConfig``.
            sha256: Hash over the members and their weights.
            members: In the recipe's order.
            own: Hash of the training set, and the out-of-fold logits on it, shape (examples, labels).
        """
        super().__init__(recipe, sha256)
        self.members, self._own = members, own

    @property
    def params(self) -> int:
        """Parameters of all models together."""
        return sum(model.params for member in self.members for model in member.models)

    def own_logits(self, trained_on: str) -> torch.Tensor | None:
        """Out-of-fold logits; see ``Classifier.own_logits``."""
        return self._own[1] if trained_on == self._own[0] else None

    def prepare(self, texts: Texts) -> Prepared:
        """Let every model prepare the texts; each answers in its own number format, as on those it had not seen."""
        parts = tuple(
            (member.weight / len(member.models), _in_own_format(model, fastest(model).prepare(texts)))
            for member in self.members
            for model in member.models
        )

        def forward(index: NDArray[np.int64]) -> NDArray[np.float32]:
            together: NDArray[np.float32] = np.sum([weight * part.forward(index) for weight, part in parts], axis=0)
            return together

        # Networks are the slow ones, and need batches of equal length.
        order = max((part.order for _, part in parts), key=len)
        return Prepared(len(texts), forward, order, parts=parts)


def _in_own_format(model: Classifier, prepared: Prepared) -> Prepared:
    def forward(index: NDArray[np.int64]) -> NDArray[np.float32]:
        with scoring(model.recipe):
            return prepared.forward(index)

    return replace(prepared, forward=forward)


def folds(train: TextSet, learned: NDArray[np.int64], count: int, seed: int) -> list[NDArray[np.int64]]:
    """Cut the kept part of a training split into ``count`` parts; equal texts stay together.

    Returns:
        Positions in ``train``, sorted; together every kept one once.

    Raises:
        RecipeError: There are fewer distinct texts than parts.
    """
    distinct = len({train.texts[i][0] for i in learned})
    if distinct < count:
        raise RecipeError(f"model.folds = {count}: the training split has {distinct} distinct texts to learn from.")
    parts, rest = [], learned
    for left in range(count, 1, -1):
        inside, part = split_validation(train.take(rest), 1 / left, seed)
        parts.append(rest[part])
        rest = rest[inside]
    return [*parts, rest]


def combine(logits: torch.Tensor, labels: NDArray[np.int64]) -> list[float]:
    """Weights of members that minimise the cross-entropy of the weighted sum of their logits; none is negative.

    Args:
        logits: Shape (members, examples, labels), each example predicted by models that did not see it.
        labels: Shape (examples,).
    """
    gold = torch.from_numpy(labels)
    raw = torch.full((len(logits),), 1.0 / len(logits), dtype=torch.float64).sqrt().requires_grad_()
    optimizer = torch.optim.LBFGS([raw], max_iter=100, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = functional.cross_entropy(torch.einsum("m,mel->el", raw**2, logits.double()), gold)
        loss.backward()  # type: ignore[no-untyped-call]
        return loss

    optimizer.step(closure)  # type: ignore[no-untyped-call]
    return [float(weight) for weight in (raw**2).detach()]


def encoder_bytes(model: EnsembleConfig) -> int:
    """Bytes of the encoders that the adapters of an ensemble's members stand beside, each once."""
    members = [loader.load(name).model_dump() for name in model.members]
    return sum({str(member["model"].get("source")): disk_sizes.encoder_bytes(member) for member in members}.values())


Fit = Callable[[str, int, NDArray[np.int64], NDArray[np.int64], Path], Classifier]
"""Train a member: recipe, fold, positions to learn from, positions held out, folder of its checkpoint."""


def fit(
    recipe: Recipe,
    names: tuple[str, ...],
    parts: list[NDArray[np.int64]],
    train: TextSet,
    folder: Path,
    fit_member: Fit,
    tick: Callable[[], None],
) -> list[Artifact]:
    """Train all members on all folds, learn their weights and write the checkpoint; what is there already is kept.

    Args:
        recipe: With an ``EnsembleConfig``.
        names: The members' recipes.
        parts: From ``folds``.
        train: The training split.
        folder: Of the checkpoint.
        fit_member: Trains one member on one fold, or loads it where it is there.
        tick: Called on the way.

    Returns:
        The checkpoint's files.
    """
    learned = np.sort(np.concatenate(parts))
    outside = np.setdiff1d(np.arange(len(train)), learned)
    own = torch.zeros(len(names), len(train), recipe.num_labels)
    hashes = []
    for position, name in enumerate(names):
        called = Path(name).name  # of a recipe in a file
        for fold, part in enumerate(parts):
            path = folder / MEMBERS / f"{position}-{called}-{fold}"
            model = fastest(fit_member(name, fold, np.setdiff1d(learned, part), part, path))
            hashes.append(model.sha256)
            # An example outside all folds was seen by none: the mean over the models is honest there.
            texts = [train.texts[i] for i in np.concatenate([part, outside])]
            with scoring(model.recipe):
                logits = torch.from_numpy(model.logits(texts, f"{called} on fold {fold + 1}/{len(parts)}", tick))
            own[position, part] = logits[: len(part)]
            own[position, outside] += logits[len(part) :] / len(parts)
    weights = combine(own[:, learned], train.labels[learned])
    together = torch.einsum("m,mel->el", torch.tensor(weights), own)
    folder.mkdir(parents=True, exist_ok=True)
    save_file({"logits": together}, folder / OWN, metadata={"train": train.sha256})
    files = {OWN: checkpoint.sha256(folder / OWN)}
    facts = {"weights": weights, "members": hashes, "train": train.sha256, "files": files}
    return checkpoint.save(folder, recipe, {"weights": torch.tensor(weights)}, {}, facts)


def load(folder: Path, card: Card, load_member: Callable[[Path], Classifier]) -> EnsembleClassifier:
    """Read a checkpoint.

    Raises:
        CheckpointError: A member is missing or is not the one that the weights were learned for.
    """
    weights = [float(weight) for weight in checkpoint.read_weights(folder, card)["weights"]]
    models = [load_member(path) for path in places(folder)]
    if not weights or [model.sha256 for model in models] != card.facts.get("members"):
        raise CheckpointError(f"{folder}: {MEMBERS} are not those that the card was written for.")
    try:
        own = load_file(folder / OWN)["logits"]
    except (OSError, SafetensorError, KeyError) as error:
        raise CheckpointError(f"{folder}: {OWN} cannot be read ({error}).") from error
    each = len(models) // len(weights)
    members = [
        Member(weight, models[position * each : (position + 1) * each]) for position, weight in enumerate(weights)
    ]
    digest = hashlib.sha256(json.dumps([card.sha256, card.facts["members"]]).encode()).hexdigest()
    return EnsembleClassifier(card.recipe, digest, members, (str(card.facts["train"]), own))


def places(folder: Path) -> list[Path]:
    """The checkpoints of the members, by member and fold."""
    return [path / CHECKPOINT for path in sorted((folder / MEMBERS).glob("[0-9]*-*-[0-9]*"), key=_order)]


def _order(path: Path) -> tuple[int, int]:
    position, _, rest = path.name.partition("-")
    return int(position), int(rest.rpartition("-")[2])
