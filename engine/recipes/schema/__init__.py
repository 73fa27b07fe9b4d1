"""What a recipe may say: every section and key, with its meaning, type and default.

A default never changes its meaning: the digest of a recipe leaves out what has its default, so that a new key does not
make a stranger of an old run.
"""

import hashlib
import json
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from engine.recipes.schema.masked_lm import TextConfig, TripleConfig, VocabularyConfig
from engine.recipes.schema.models import (
    BertConfig,
    BiLSTMConfig,
    CNNConfig,
    EnsembleConfig,
    MaskedLMConfig,
    MaskedModelConfig,
    ModelConfig,
    NgramConfig,
    PretrainedConfig,
    SpanConfig,
    StudentConfig,
)
from engine.recipes.schema.section import Section
from engine.recipes.schema.sections import (
    ADDITIONS,
    AdapterConfig,
    DataConfig,
    DistillConfig,
    PretrainConfig,
    QAConfig,
    TokenizerConfig,
    TrainConfig,
    languages,
)

__all__ = [
    "ADDITIONS",
    "AdapterConfig",
    "BertConfig",
    "BiLSTMConfig",
    "CNNConfig",
    "DataConfig",
    "DistillConfig",
    "EnsembleConfig",
    "MaskedLMConfig",
    "MaskedModelConfig",
    "ModelConfig",
    "NgramConfig",
    "PretrainConfig",
    "PretrainedConfig",
    "QAConfig",
    "Recipe",
    "Section",
    "SpanConfig",
    "StudentConfig",
    "TextConfig",
    "TokenizerConfig",
    "TrainConfig",
    "TripleConfig",
    "VocabularyConfig",
]

# Sections that a kind of model has whether its recipe writes them or not; other kinds have none of them.
_OWN_SECTIONS = {"masked-lm": ("text",), "bert": ("text", "vocabulary"), "student": ("text", "triple")}

# What says something about a recipe, and decides no figure.
_TELLS = {"seed", "label", "family", "summary", "model_id"}
_NAME = r"^[a-z0-9][a-z0-9._-]{0,63}$"


class Recipe(Section):
    """One named variant."""

    name: Annotated[str, Field(pattern=_NAME, description="of the recipe")]
    model_id: Annotated[str, Field(pattern=_NAME)] | None = Field(
        None, description="the model on the board that its runs belong to; none: one called like the recipe"
    )
    label: str = Field(description="the model's name on the board")
    family: str = Field(description="family on the board")
    summary: str = Field(description="one line")
    language: Literal["ko", "en"] = Field(description="language of the texts")
    task: str = Field(description="board of a run on real data")
    mini_task: str = Field(description="board of a run on the shipped mini corpus")
    seed: Annotated[int, Field(ge=0, lt=2**31, description="seeds everything that is random")] = 0
    model: ModelConfig
    tokenizer: TokenizerConfig = TokenizerConfig()
    data: DataConfig = DataConfig()
    train: TrainConfig = TrainConfig()
    pretrain: PretrainConfig | None = None
    distill: DistillConfig | None = None
    qa: QAConfig = QAConfig()
    adapter: AdapterConfig | None = None
    text: TextConfig | None = None
    triple: TripleConfig | None = None
    vocabulary: VocabularyConfig | None = None

    @model_validator(mode="before")
    @classmethod
    def _usual_architecture(cls, content: Any) -> Any:
        if isinstance(content, dict) and isinstance(content.get("model"), dict):
            own: dict[str, Any] = {section: {} for section in _OWN_SECTIONS.get(str(content["model"].get("kind")), ())}
            return {**own, **content, "model": {"kind": "bilstm", **content["model"]}}
        return content

    @model_validator(mode="after")
    def _sections_of_the_kind(self) -> Self:
        for section in ("text", "triple", "vocabulary"):
            if getattr(self, section) is not None and section not in _OWN_SECTIONS.get(self.model.kind, ()):
                kinds = [kind for kind, sections in _OWN_SECTIONS.items() if section in sections]
                raise ValueError(f"the section {section} belongs to model.kind = {' or '.join(map(repr, kinds))}")
        return self

    @property
    def listed_as(self) -> str:
        """The id of its model on the board."""
        return self.model_id or self.name

    @property
    def num_labels(self) -> int:
        """Classes that its model tells apart; 0 for one that marks spans or names hidden words."""
        return 0 if isinstance(self.model, SpanConfig | MaskedModelConfig) else self.model.num_labels

    @property
    def is_network(self) -> bool:
        """Whether its model is one network, and not n-grams or an ensemble."""
        return self.model.kind not in {"char-ngrams", "ensemble"}

    @property
    def script_language(self) -> str:
        """The language whose letters it can read: Korean where such texts joined, for they hold Latin letters too."""
        return "ko" if "ko" in languages(self.language, self.data.add) else self.language

    @property
    def input_tokens(self) -> int:
        """Tokens of the longest input of its network."""
        return self.qa.max_length if self.model.kind == "span" else self.tokenizer.max_length

    def listed_config(self) -> dict[str, Any]:
        """What the board lists of the model's shape; another shape needs another name."""
        hidden = {"kind", "dropout", "source_seed", "embedding"}  # where a model starts is no part of its shape
        if isinstance(self.model, BiLSTMConfig):
            hidden.add("after")
        return self.model.model_dump(mode="json", exclude=hidden)

    def listed_facts(self, params: int | None) -> dict[str, Any]:
        """Its row of the models table, but for the licence; ``params`` are the parameters of the model."""
        return {
            "model_id": self.listed_as,
            "name": self.label,
            "family": self.family,
            "architecture": self.model.kind,
            "config": self.listed_config(),
            "params": params,
            "language": self.language,
        }

    def to_json(self) -> str:
        """The complete recipe, defaults included."""
        return json.dumps(self.model_dump(mode="json", exclude_none=True), ensure_ascii=False, sort_keys=True)

    def digest(self) -> str:
        """SHA-256 of what decides the figures: the recipe without its seed, its texts and its defaults."""
        facts = self.model_dump(mode="json", exclude=_TELLS, exclude_defaults=True)
        facts["model"]["kind"] = self.model.kind
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
