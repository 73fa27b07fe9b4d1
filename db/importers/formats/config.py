"""Configurations, from which parameters are counted: transformers' ``config.json``, and our ``card.json``."""

from collections.abc import Callable
from typing import Any

from db.importers import spelling, values
from db.importers.formats.architectures import UncountableError, size, transformer
from db.importers.result import ImportedFile, listed
from db.importers.safe_json import FileError, quoted
from db.registry import parameter_counts as arithmetic
from db.registry.metrics import METRICS

_MOST_PARAMS = 10**15
_OWN = {"bilstm": ("vocab_size", "embedding_dim", "hidden_dim"), "cnn": ("vocab_size", "embedding_dim", "filters")}
_BERT = {"hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "type_vocab_size"}
_WIDTHS = (1, 2, 3, 4)


def takes(data: Any) -> bool:
    """Whether a JSON value is a configuration of the transformers library."""
    facts = values.mapping(data)
    return isinstance(facts.get("model_type"), str) or facts.keys() >= _BERT or "peft_type" in facts


def takes_card(data: Any) -> bool:
    """Whether a JSON value is the card of a checkpoint of ours."""
    recipe = values.mapping(values.mapping(data).get("recipe"))
    return isinstance(recipe.get("model"), dict) and "kind" in recipe["model"]


def read(name: str, data: dict[str, Any]) -> ImportedFile:
    """The parameters of a configuration, and the name of its architecture.

    Raises:
        SubmissionError: A size is no whole number above 0, or the model would have more than 10^15 parameters.
    """
    if "peft_type" in data:
        return _adapter(data)
    data = {"model_type": "bert", **data}  # the first BERTs came with bert_config.json, which does not say so
    heads = [head for head in values.items(data.get("architectures")) if values.words(head)]
    head = values.words(heads[0], 60) if heads else None
    draft: dict[str, object] = {"architecture": head or str(data["model_type"])[:60]}
    text = values.words(data.get("_name_or_path"), 120)
    if text and not spelling.is_local_path(text):  # what it was made of, and not what it became
        draft["training"] = {"base model": text}
    return _counted(name, draft, lambda: transformer(name, data, head), [])


def _adapter(data: dict[str, Any]) -> ImportedFile:
    """The ``adapter_config.json`` of a model that lies partly in another one."""
    base = values.words(data.get("base_model_name_or_path"), 120)
    rank = values.whole(data.get("r"), least=1)
    facts = {"adapter": values.words(data.get("peft_type"), 60), "base model": base, "adapter rank": rank}
    draft: dict[str, object] = {"training": {key: fact for key, fact in facts.items() if fact is not None}}
    note = "An adapter is not its base: name the model yourself. Its parameters are those of both together."
    unknown = [key for key in data if key not in ("peft_type", "base_model_name_or_path", "r")]
    return ImportedFile("config", (draft,), unknown=listed(unknown), notes=(note,))


def read_card(name: str, data: dict[str, Any]) -> ImportedFile:
    """What a checkpoint of ours says of itself; parameters are counted from its architecture.

    Raises:
        SubmissionError: A size is no whole number above 0.
    """
    recipe, about = data["recipe"], values.mapping(data.get("about"))
    model = recipe["model"]
    draft: dict[str, object] = {}
    for field, value in (
        ("task", recipe.get("task")),
        ("model", recipe.get("label") or recipe.get("name")),
        ("family", recipe.get("family")),
        ("architecture", model.get("kind")),
        ("language", recipe.get("language")),
        ("licence", about.get("licence")),
        ("dataset", values.mapping(about.get("data")).get("name")),
        ("teacher", about.get("teacher")),
    ):
        text = values.words(value, 200)
        if text:
            draft[field] = text
    seed = values.whole(about.get("seed", recipe.get("seed")))
    if seed is not None:
        draft["seed"] = seed
    figures = {
        metric: number
        for metric, facts in values.mapping(about.get("metrics")).items()
        if metric in METRICS and (number := values.number(values.mapping(facts).get("value"))) is not None
    }
    if figures:
        draft["metrics"] = figures
    if values.words(recipe.get("name")):
        draft["training"] = {"recipe": values.words(recipe.get("name"), 120)}
    unknown = [key for key in data if key not in ("format", "recipe", "about", "sha256", "files")]
    return _counted(name, draft, lambda: _own(name, model), unknown)


def _own(name: str, model: dict[str, Any]) -> int:
    kind = str(model.get("kind"))
    if kind not in _OWN:
        raise UncountableError(f"a model of kind {quoted(kind)} lies partly in another checkpoint")
    sizes = {key: size(name, model, key, f"recipe.model.{key}") for key in _OWN[kind]}
    labels = size(name, {"num_labels": 2, **model}, "num_labels", "recipe.model.num_labels")
    if kind == "bilstm":
        return arithmetic.bilstm({**sizes, "num_labels": labels})
    widths = model.get("widths", list(_WIDTHS))
    if not isinstance(widths, list) or not 0 < len(widths) <= 64:
        raise FileError(name, "recipe.model.widths", "it must be a list of widths.")
    spans = [
        size(name, {"width": width}, "width", f"recipe.model.widths[{number}]") for number, width in enumerate(widths)
    ]
    filters = sizes["filters"]
    convolutions = sum(filters * (sizes["embedding_dim"] * span + 1) for span in spans)
    return sizes["vocab_size"] * sizes["embedding_dim"] + convolutions + (filters * len(spans) + 1) * labels


def _counted(name: str, draft: dict[str, object], count: Callable[[], int], unknown: list[str]) -> ImportedFile:
    try:
        params = count()
    except UncountableError as why:
        note = f"Parameters were not counted: {why}. The header of the safetensors file tells them too."
        return ImportedFile("config", (draft,), unknown=listed(unknown), notes=(note,))
    if params > _MOST_PARAMS:
        raise FileError(name, "", f"its sizes make more than {_MOST_PARAMS:,} parameters, which no model has.")
    draft.update(params=params, params_source="config")
    return ImportedFile("config", (draft,), params=params, unknown=listed(unknown))
