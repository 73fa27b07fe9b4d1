"""The other sections of a recipe: what is read, how it is learned, from whom."""

from collections.abc import Iterable
from typing import Annotated, Literal, Self, get_args

from pydantic import Field, model_validator

from engine.recipes.schema.section import Section


class TokenizerConfig(Section):
    """The tokenizer is trained on the training split; its vocabulary size is the model's."""

    kind: Literal["wordpiece", "bpe"] = Field("wordpiece", description="algorithm")
    max_length: Annotated[int, Field(ge=1, le=4096, description="tokens kept of a text")] = 100
    alphabet: Annotated[
        int,
        Field(
            ge=1,
            description="most frequent characters kept; wordpiece makes a word with a "
            "rarer one [UNK], bpe that character alone",
        ),
    ] = 1000
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
        "float32",
        description="number format of the matrix products; bfloat16 is about twice as fast, and float32 is "
        "used where the processor has none",
    )
    scoring: Literal["float32", "bfloat16"] = Field(
        "float32",
        description="number format in which the held-out part and the test split are answered, and the texts of "
        "students labelled; the timings are in float32",
    )
    clip_norm: Annotated[float, Field(gt=0, description="largest gradient norm")] = 1.0
    patience: Annotated[int, Field(ge=0, description="epochs without a better validation accuracy; 0 never stops")] = 6
    validation_fraction: Annotated[float, Field(gt=0, lt=0.5, description="part of train held out to choose")] = 0.05
    held_out: Literal["text", "seed"] = Field(
        "seed",
        description="what decides which texts are held out: the hash of each text, the same ones for every seed and "
        "teacher, or the run's seed, as earlier runs did, which kept weights at the ends of epochs alone",
    )
    validate_every: Annotated[
        int,
        Field(ge=0, description="steps between two validations within an epoch, the best is kept; 0: at its end alone"),
    ] = 0

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


Addition = Literal["naver-shopping", "steam", "sanli", "conjnli", "cad-snli", "lingnli", "klue-nli"]
ADDITIONS: tuple[str, ...] = get_args(Addition)
"""Labelled data sets that may be added to a training split; see ``engine.data.extra_training_data``."""


def languages(own: str, additions: Iterable[str]) -> tuple[str, ...]:
    """The languages of a training split with its additions: that of the task first.

    Reviews are added to Korean tasks and English pairs to English ones; KLUE-NLI is the one that crosses over.
    """
    return tuple(dict.fromkeys((own, *("ko" for name in additions if name == "klue-nli"))))


class DistillConfig(Section):
    """Learning from a teacher: loss = loss_rate * CE + (1 - loss_rate) * soft.

    ``soft`` is ``T^2 * KL`` (Hinton et al. 2015) or the mean squared error of the logits (Tang et al. 2019).
    """

    teacher: str = Field(
        description="the recipe of the teacher, trained on the same data, or shipped:NAME, a checkpoint of the package"
    )
    loss: Literal["kl", "mse"] = Field("kl", description="softened distributions, or the logits themselves")
    loss_rate: Annotated[float, Field(ge=0, le=1, description="weight of the true labels")] = 0.1
    temperature: Annotated[float, Field(gt=0, le=100, description="softens both distributions (kl)")] = 2.0
    teacher_seed: Annotated[int, Field(ge=0, lt=2**31, description="the teacher's seed, whatever the student's")] = 0
    unlabelled: bool = Field(False, description="learn from the teacher on unlabelled*.parquet of the data folder too")
    add: tuple[Addition, ...] = Field(
        (), description="data sets of data.add of which the teacher labels the texts anew"
    )
    altered: Annotated[
        int,
        Field(ge=0, le=100, description="copies of each training example with words changed that the teacher labels"),
    ] = 0

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        _require_once(self.add)
        return self


def _require_once(names: tuple[str, ...]) -> None:
    if len(set(names)) < len(names):
        raise ValueError("a file can be added once")


class DataConfig(Section):
    """What is learned from beside the task's own training split."""

    add: tuple[Addition, ...] = Field(
        (), description="labelled data sets that join the training split, from files in the data folder"
    )
    examples: Annotated[int, Field(ge=1)] | None = Field(
        None, description="examples of the training split, drawn by seed 0; none: all"
    )
    strip_stops: bool = Field(
        False, description="leave out the full stops at the ends of texts, for data of which some rows lost theirs"
    )
    hide: Literal["premise"] | None = Field(
        None,
        description="the text of a pair that the model is not shown; what it still gets right, the other one tells",
    )

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        _require_once(self.add)
        return self


class QAConfig(Section):
    """Questions over texts: how a long text is cut into windows, and what counts as an answer."""

    max_length: Annotated[int, Field(ge=16, le=4096, description="tokens of a window, question included")] = 384
    stride: Annotated[int, Field(ge=1, le=2048, description="tokens that neighbouring windows share")] = 128
    question_length: Annotated[int, Field(ge=1, le=1024, description="tokens kept of a question")] = 64
    answer_length: Annotated[int, Field(ge=1, le=512, description="tokens of the longest answer")] = 30
    exact_offsets: bool = Field(True, description="leave out training questions whose answer's place was guessed")
    questions: Annotated[int, Field(ge=1)] | None = Field(
        None, description="training questions, drawn by seed 0; none: all"
    )
    add: str | None = Field(None, description="another task whose training questions join, from the same data folder")
    add_questions: Annotated[int, Field(ge=1)] | None = Field(
        None, description="questions of that task, drawn by seed 0; none: all"
    )

    @model_validator(mode="after")
    def _windows_move(self) -> Self:
        if self.stride + self.question_length + 3 >= self.max_length:
            raise ValueError("max_length must leave room for the question, 3 special tokens and more text than stride")
        return self


class AdapterConfig(Section):
    """Low-rank adapters (Hu et al. 2021): the encoder stays as it is, small matrices beside its linear layers learn."""

    whole: bool = Field(
        False, description="the linear layers themselves learn, and are stored in 8 bits; no rank, alpha or dropout"
    )
    rank: Annotated[int, Field(ge=1, le=512, description="inner width of the added matrices")] = 16
    alpha: Annotated[int, Field(ge=1, le=1024, description="their outputs are multiplied by alpha / rank")] = 32
    dropout: Annotated[float, Field(ge=0, lt=1, description="before the added matrices")] = 0.0
    targets: tuple[Annotated[str, Field(pattern=r"^[a-z0-9_.]+$")], ...] = Field(
        ("query", "key", "value", "dense"), min_length=1, description="names of the linear layers"
    )
    first_layer: Annotated[int, Field(ge=0, description="layers of the encoder below it get none: a faster step")] = 0
