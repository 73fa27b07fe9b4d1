"""One model in one precision, timed in a process of its own: ``python -m engine.benchmarks.worker``, see ``protocol``.

What is imported here counts as the model's memory, so it is little, and torch comes when the job is known.
"""

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from db.base.errors import FeatherboardError
from engine.benchmarks import host_state, limits
from engine.benchmarks.architectures import ARCHITECTURES, Architecture
from engine.benchmarks.protocol import LEAST_CALLS, Job, Loaded, Message, Peak, Point, Refused, encode

if TYPE_CHECKING:
    import torch

_STARTED = time.perf_counter()


def main() -> None:
    """Do the job that comes on standard input; answer on what was standard output."""
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    answers = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)  # libraries may print
    job = Job.from_json(sys.stdin.read())

    def tell(message: Message) -> None:
        answers.write(encode(message) + "\n")

    if job.parent:
        threading.Thread(target=_end_with, args=(job.parent,), daemon=True).start()
    try:
        _make(job) if job.kind == "make" else _measure(job, tell)
        tell(Peak(limits.peak()))
    except FeatherboardError as error:
        tell(Refused(str(error)))
    except Exception as error:
        if not limits.is_shortage(error):
            raise
        tell(Refused(f"{type(error).__name__}: {error}", memory=True))
    _leave(answers)


def _end_with(parent: int) -> None:
    # A parent that was killed could not end its worker, which would go on keeping a small machine busy.
    while os.getppid() == parent:
        time.sleep(2)
    os._exit(1)


def _leave(answers: TextIO) -> None:
    answers.flush()
    os._exit(0)  # taking torch down in order costs a second and, short of memory, may fail


def _make(job: Job) -> None:
    from transformers import AutoConfig, AutoModelForQuestionAnswering  # noqa: PLC0415 - see above

    made = ARCHITECTURES[str(job.architecture)]
    config = AutoConfig.for_model(made.model_type, **made.config)
    AutoModelForQuestionAnswering.from_config(config).save_pretrained(job.folder)


def _measure(job: Job, tell: Callable[[Message], None]) -> None:
    import torch  # noqa: PLC0415 - see above
    import transformers  # noqa: PLC0415

    transformers.logging.set_verbosity_error()
    if hasattr(transformers.logging, "disable_progress_bar"):
        transformers.logging.disable_progress_bar()
    torch.manual_seed(0)
    torch.set_num_threads(max(job.threads))
    call, vocabulary, facts = (_transformer if job.kind != "checkpoint" else _checkpoint)(Path(job.folder), job)
    with torch.inference_mode():
        call(_ids(vocabulary, job.batch, min(job.lengths)))
        size = sum(file.stat().st_size for file in Path(job.folder).glob("*.safetensors"))
        tell(Loaded(**facts, bytes=size, load_seconds=time.perf_counter() - _STARTED))
        for threads in job.threads:
            torch.set_num_threads(threads)
            for tokens in job.lengths:
                tell(_point(job, threads, tokens, call, _ids(vocabulary, job.batch, tokens)))


def _point(job: Job, threads: int, tokens: int, call: Callable[[Any], Any], ids: "torch.Tensor") -> Point:
    for _ in range(max(2, job.repeats // 10)):
        call(ids)
    times: list[float] = []
    began = time.perf_counter()
    while len(times) < job.repeats and not (
        time.perf_counter() - began > job.seconds and len(times) >= min(LEAST_CALLS, job.repeats)
    ):
        started = time.perf_counter()
        call(ids)
        times.append(1e3 * (time.perf_counter() - started))
    now = host_state.state()
    return Point(tokens, threads, times, now.load_average, now.celsius, now.clock_mhz)


def _ids(vocabulary: int, batch: int, tokens: int) -> "torch.Tensor":
    import torch  # noqa: PLC0415

    return torch.randint(min(1000, vocabulary // 2), vocabulary, (batch, tokens))


Ready = tuple[Callable[[Any], Any], int, dict[str, Any]]


def _transformer(folder: Path, job: Job) -> Ready:
    import torch  # noqa: PLC0415
    import transformers  # noqa: PLC0415

    from engine.networks import low_memory  # noqa: PLC0415

    config = transformers.AutoConfig.from_pretrained(str(folder), local_files_only=True)
    wanted = next(iter(config.architectures or ["AutoModel"]))
    auto = next((name for ending, name in _HEADS.items() if wanted.endswith(ending)), "AutoModel")
    model = low_memory.load(getattr(transformers, auto), folder, job.precision)

    def call(ids: "torch.Tensor") -> object:
        return model(input_ids=ids, attention_mask=torch.ones_like(ids))

    named = ARCHITECTURES.get(str(job.architecture))
    return call, int(config.vocab_size), _facts(named, folder, config, low_memory.parameters(folder))


_HEADS = {
    "ForQuestionAnswering": "AutoModelForQuestionAnswering",
    "ForSequenceClassification": "AutoModelForSequenceClassification",
    "ForTokenClassification": "AutoModelForTokenClassification",
    "ForMaskedLM": "AutoModelForMaskedLM",
}


_SIZES = (
    ("vocab_size", "vocab_size"),
    ("hidden_size", "hidden_size"),
    ("num_layers", "num_hidden_layers"),
    ("num_heads", "num_attention_heads"),
    ("max_positions", "max_position_embeddings"),
    ("intermediate_size", "intermediate_size"),
    ("intermediate_size", "hidden_dim"),
)
"""Sizes as the models table calls them, and as configurations do."""


def _facts(named: Architecture | None, folder: Path, config: Any, params: int) -> dict[str, Any]:
    there = [(word, getattr(config, name, None)) for word, name in _SIZES]
    sizes = {word: number for word, number in there if number is not None}
    if named:
        return {
            "model_id": named.model_id,
            "name": named.name,
            "family": named.family,
            "architecture": "bert",
            "config": sizes,
            "params": params,
            "language": named.language,
        }
    name = folder.resolve().name
    return {
        "model_id": f"{config.model_type}-{name}-{params}",
        "name": name,
        "family": config.model_type,
        "architecture": config.model_type,
        "config": sizes,
        "params": params,
        "language": None,
    }


def _checkpoint(folder: Path, job: Job) -> Ready:
    import torch  # noqa: PLC0415

    from engine.base.errors import BenchError  # noqa: PLC0415
    from engine.checkpoints import checkpoint  # noqa: PLC0415
    from engine.families.classification import classifiers  # noqa: PLC0415
    from engine.networks import quantization  # noqa: PLC0415
    from engine.networks.classifier import NeuralClassifier  # noqa: PLC0415
    from engine.recipes.schema import SpanConfig  # noqa: PLC0415

    asks = isinstance(checkpoint.read_card(folder).recipe.model, SpanConfig)
    found: Any
    if asks:
        from engine.families.span_qa import checkpoint as spans  # noqa: PLC0415 - peft is memory too

        found = spans.load(folder)
    else:
        found = classifiers.load(folder)
        if not isinstance(found, NeuralClassifier):
            raise BenchError(
                "This model reads characters or is an ensemble, so it has no input of so many tokens; "
                "`featherboard evaluate` times it on texts."
            )
    params = found.params
    model = quantization.apply(found.model, job.precision)

    def call(ids: "torch.Tensor") -> object:
        lengths = torch.full((len(ids),), ids.shape[1])
        return model(ids, torch.zeros_like(ids), lengths) if asks else model(ids, lengths)

    recipe = found.recipe
    return (
        call,
        found.tokenizer.get_vocab_size(),
        {
            "model_id": recipe.listed_as,
            "name": recipe.label,
            "family": recipe.family,
            "architecture": recipe.model.kind,
            "config": recipe.listed_config(),
            "params": params,
            "language": recipe.language,
        },
    )


if __name__ == "__main__":
    main()
