"""What a recipe may say: every section and key, with its meaning, type and default.

A default never changes its meaning: the digest of a recipe leaves out what has its default, so that a new key does not
make a stranger of an old run.
"""

import hashlib
import json
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Section(BaseModel):
    """One table of the TOML file; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


Width = Annotated[int, Field(ge=1, le=8192)]
NumLabels = Annotated[int, Field(ge=2, le=1000, description="classes")]
Dropout = Annotated[float, Field(ge=0, lt=1, description="before the linear layer and on the embedding")]
VocabSize = Annotated[int, Field(ge=8, le=200_000, description="rows of the embedding")]


class BiLSTMConfig(Section):
    """One bidirectional LSTM over embeddings, dropout, a linear layer."""

    kind: Literal["bilstm"] = Field("bilstm", description="architecture")
    vocab_size: VocabSize = 3000
    embedding_dim: Width = Field(description="width of the embedding")
    hidden_dim: Width = Field(description="hidden units of each direction")
    num_labels: NumLabels = 2
    dropout: Dropout = 0.3


class CNNConfig(Section):
    """Convolutions of several widths over embeddings, the maximum over time of each, a linear layer (Kim 2014)."""

    kind: Literal["cnn"] = Field("cnn", description="architecture")
    vocab_size: VocabSize = 3000
    embedding_dim: Width = Field(description="width of the embedding")
    filters: Width = Field(description="filters of each width")
    widths: tuple[Annotated[int, Field(ge=1, le=32)], ...] = Field(
        (1, 2, 3, 4), min_length=1, description="tokens a filter sees")  # fmt: skip
    num_labels: NumLabels = 2
    dropout: Dropout = 0.3


class NgramConfig(Section):
    """Logistic regression over the TF-IDF weights of character n-grams."""

    kind: Literal["char-ngrams"] = Field("char-ngrams", description="architecture")
    shortest: Annotated[int, Field(ge=1, le=12, description="characters of the shortest n-gram")] = 1
    longest: Annotated[int, Field(ge=1, le=12, description="characters of the longest n-gram")] = 4
    min_texts: Annotated[int, Field(ge=1, description="n-grams in fewer texts are left out")] = 2
    jamo: bool = Field(False, description="count letters (jamo) in place of syllables")
    inverse_penalty: Annotated[float, Field(gt=0, description="C of the logistic regression")] = 5.0
    num_labels: NumLabels = 2

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.longest < self.shortest:
            raise ValueError(f"longest must be at least shortest = {self.shortest}")
        return self


class PretrainedConfig(Section):
    """A transformer with a classification head, from the hub or a folder."""

    kind: Literal["pretrained"] = Field("pretrained", description="architecture")
    source: str = Field(description="hub id, or a folder with config.json, weights in safetensors and tokenizer.json")
    num_labels: NumLabels = 2


class EnsembleConfig(Section):
    """Several classifiers, each trained once per fold, whose logits are added up with learned weights."""

    kind: Literal["ensemble"] = Field("ensemble", description="architecture")
    members: tuple[str, ...] = Field(min_length=1, description="recipes")
    folds: Annotated[int, Field(ge=2, le=20, description="parts of the training split; each is predicted by models "
                                                         "that did not see it")] = 4  # fmt: skip
    num_labels: NumLabels = 2


ModelConfig = Annotated[
    BiLSTMConfig | CNNConfig | NgramConfig | PretrainedConfig | EnsembleConfig, Field(discriminator="kind")
]


class TokenizerConfig(Section):
    """The tokenizer is trained on the training split; its vocabulary size is the model's."""

    kind: Literal["wordpiece", "bpe"] = Field("wordpiece", description="algorithm")
    max_length: Annotated[int, Field(ge=1, le=4096, description="tokens kept of a text")] = 100
    alphabet: Annotated[int, Field(ge=1, description="most frequent characters kept; wordpiece makes a word with a "
                                                     "rarer one [UNK], bpe that character alone")] = 1000  # fmt: skip
    jamo: bool = Field(False, description="bpe over letters (jamo) in place of syllables")


class TrainConfig(Section):
    """The training loop."""

    epochs: Annotated[int, Field(ge=1, le=10_000, description="passes over the training split, at most")] = 30
    batch_size: Annotated[int, Field(ge=1, le=65_536, description="examples a step")] = 64
    lr: Annotated[float, Field(gt=0, le=10, description="learning rate of Adam; the top of the schedule")] = 1e-3
    weight_decay: Annotated[float, Field(ge=0, le=1, description="decoupled from the gradient, as in AdamW")] = 0.0
    scheduler: Literal["step", "cyclic", "cosine", "constant"] = Field("step", description="learning-rate schedule")
    scheduler_step_size: Annotated[int, Field(ge=1, description="epochs between two decays (step)")] = 5
    scheduler_gamma: Annotated[float, Field(gt=0, le=1, description="factor of a decay (step)")] = 0.9
    scheduler_base_lr: Annotated[float, Field(gt=0, description="bottom of the cycle (cyclic)")] = 5e-4
    warmup: Annotated[float, Field(ge=0, lt=1, description="part of all steps on which the rate rises (cosine)")] = 0.05
    precision: Literal["float32", "bfloat16"] = Field(
        "float32", description="number format of the matrix products; bfloat16 is about twice as fast, and float32 is "
                               "used where the processor has none")  # fmt: skip
    clip_norm: Annotated[float, Field(gt=0, description="largest gradient norm")] = 1.0
    patience: Annotated[int, Field(ge=0, description="epochs without a better validation accuracy; 0 never stops")] = 6
    validation_fraction: Annotated[float, Field(gt=0, lt=0.5, description="part of train held out to choose")] = 0.05

    @model_validator(mode="after")
    def _cycle_rises(self) -> Self:
        if self.scheduler == "cyclic" and self.scheduler_base_lr >= self.lr:
            raise ValueError(f"scheduler_base_lr must be below lr = {self.lr} for the cyclic schedule")
        return self


class PretrainConfig(Section):
    """Reading before learning: the BiLSTM first predicts the next and the previous token of texts."""

    epochs: Annotated[int, Field(ge=1, le=1000, description="passes over the texts")] = 3
    batch_size: Annotated[int, Field(ge=1, le=65_536, description="texts a step")] = 128
    lr: Annotated[float, Field(gt=0, le=10, description="top of the learning rate's single cycle")] = 3e-3
    negatives: Annotated[int, Field(ge=1, description="wrong tokens that each step draws")] = 128
    max_length: Annotated[int, Field(ge=1, le=4096, description="tokens kept of a text")] = 60
    precision: Literal["float32", "bfloat16"] = Field("bfloat16", description="number format of the matrix products")
    unlabelled: bool = Field(False, description="read unlabelled*.parquet of the data folder too")
    seed: Annotated[int, Field(ge=0, lt=2**31, description="seeds the pretraining, whatever the run's seed")] = 0


class DistillConfig(Section):
    """Learning from a teacher: loss = loss_rate * CE + (1 - loss_rate) * soft.

    ``soft`` is ``T^2 * KL`` (Hinton et al. 2015) or the mean squared error of the logits (Tang et al. 2019).
    """

    teacher: str = Field(description="the recipe of the teacher, trained on the same data")
    loss: Literal["kl", "mse"] = Field("kl", description="softened distributions, or the logits themselves")
    loss_rate: Annotated[float, Field(ge=0, le=1, description="weight of the true labels")] = 0.1
    temperature: Annotated[float, Field(gt=0, le=100, description="softens both distributions (kl)")] = 2.0
    teacher_seed: Annotated[int, Field(ge=0, lt=2**31, description="the teacher's seed, whatever the student's")] = 0
    unlabelled: bool = Field(False, description="learn from the teacher on unlabelled*.parquet of the data folder too")


ADDITIONS = ("naver-shopping", "steam")
"""Files of labelled reviews that may be added to a training split; see ``engine.additional``."""


class DataConfig(Section):
    """What is learned from beside the task's own training split."""

    add: tuple[Literal["naver-shopping", "steam"], ...] = Field(
        (), description="labelled reviews that join the training split, from files in the data folder"
    )

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        if len(set(self.add)) < len(self.add):
            raise ValueError("a file can be added once")
        return self


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

    @model_validator(mode="before")
    @classmethod
    def _usual_architecture(cls, content: Any) -> Any:
        if isinstance(content, dict) and isinstance(content.get("model"), dict):
            return {**content, "model": {"kind": "bilstm", **content["model"]}}
        return content

    @property
    def listed_as(self) -> str:
        """The id of its model on the board."""
        return self.model_id or self.name

    def to_json(self) -> str:
        """The complete recipe, defaults included."""
        return json.dumps(self.model_dump(mode="json", exclude_none=True), ensure_ascii=False, sort_keys=True)

    def digest(self) -> str:
        """SHA-256 of what decides the figures: the recipe without its seed, its texts and its defaults."""
        facts = self.model_dump(mode="json", exclude=_TELLS, exclude_defaults=True)
        facts["model"]["kind"] = self.model.kind
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
