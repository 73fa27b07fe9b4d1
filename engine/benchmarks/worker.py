"""Time one model in one precision in a process of its own: ``python -m engine.benchmarks.worker DESCRIPTOR``.

Whatever is imported counts as memory of the model, so little is, and torch is imported after the job has arrived.
"""

import os
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from db.base.errors import FeatherboardError
from engine.benchmarks import host, power
from engine.benchmarks.messages import MIN_CALLS, Job, Loaded, Message, Peak, Point, Refused
from engine.benchmarks.models import ARCHITECTURES, Architecture

if TYPE_CHECKING:
    import torch

_STARTED = time.perf_counter()


def main() -> None:
    """Do the job that arrives on the connection, and send the results back."""
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    connection: Connection[Message, Job] = Connection(int(sys.argv[1]))
    job = connection.recv()
    threading.Thread(target=_exit_with_parent, args=(connection,), daemon=True).start()
    try:
        if job.kind == "make":
            _make(job)
        else:
            _measure(job, connection.send)
        connection.send(Peak(host.peak_memory()))
    except FeatherboardError as error:
        connection.send(Refused(str(error)))
    except Exception as error:
        if not host.is_out_of_memory(error):
            raise
        connection.send(Refused(f"{type(error).__name__}: {error}", memory=True))
    os._exit(0)  # an orderly exit of torch takes a second and, short of memory, may fail


def _exit_with_parent(connection: "Connection[Message, Job]") -> None:
    # A parent that was killed cannot end its worker, which would keep a small machine busy.
    try:
        connection.recv()
    except (EOFError, OSError):
        os._exit(1)


def _make(job: Job) -> None:
    from transformers import AutoConfig, AutoModelForQuestionAnswering  # noqa: PLC0415 - see above

    architecture = ARCHITECTURES[str(job.architecture)]
    config = AutoConfig.for_model(architecture.model_type, **architecture.config)
    AutoModelForQuestionAnswering.from_config(config).save_pretrained(job.folder)


def _measure(job: Job, send: Callable[[Message], None]) -> None:
    import torch  # noqa: PLC0415 - see above
    import transformers  # noqa: PLC0415

    transformers.logging.set_verbosity_error()
    if hasattr(transformers.logging, "disable_progress_bar"):
        transformers.logging.disable_progress_bar()
    torch.manual_seed(0)
    torch.set_num_threads(max(job.threads))
    load = _load_checkpoint if job.kind == "checkpoint" else _load_transformer
    call, vocabulary, facts = load(Path(job.folder), job)
    with torch.inference_mode():
        call(_ids(vocabulary, job.batch, min(job.lengths)))
        size = sum(file.stat().st_size for file in Path(job.folder).glob("*.safetensors"))
        send(Loaded(**facts, bytes=size, load_seconds=time.perf_counter() - _STARTED))
        for threads in job.threads:
            torch.set_num_threads(threads)
            for tokens in job.lengths:
                send(_point(job, threads, tokens, call, _ids(vocabulary, job.batch, tokens)))


def _point(job: Job, threads: int, tokens: int, call: Callable[[Any], Any], ids: "torch.Tensor") -> Point:
    # Not torch.utils.benchmark.Timer: it warms up before every single call and reports no quantiles of calls.
    for _ in range(max(2, job.repeats // 10)):
        call(ids)
    times: list[float] = []
    packages = power.counters(Path(job.powercap)) if job.powercap else ()
    with power.RailSampler("" if packages else job.rails) as rails:
        energy, start = power.read(packages), time.perf_counter()
        while len(times) < job.repeats and not (
            time.perf_counter() - start > job.seconds and len(times) >= min(MIN_CALLS, job.repeats)
        ):
            call_start = time.perf_counter()
            call(ids)
            times.append(1e3 * (time.perf_counter() - call_start))
        seconds = time.perf_counter() - start
        counted = power.joules(packages, energy, power.read(packages))
    used = None
    if seconds >= power.MIN_SECONDS:  # a moment says nothing
        used = rails.joules(seconds) if counted is None else counted
    now = host.state()
    return Point(tokens, threads, times, now.load_average, now.celsius, now.clock_mhz, used)


def _ids(vocabulary: int, batch: int, tokens: int) -> "torch.Tensor":
    import torch  # noqa: PLC0415

    return torch.randint(min(1000, vocabulary // 2), vocabulary, (batch, tokens))


LoadedModel = tuple[Callable[[Any], Any], int, dict[str, Any]]
"""The function that is timed, the size of the vocabulary, and facts for ``Loaded``."""


def _load_transformer(folder: Path, job: Job) -> LoadedModel:
    import torch  # noqa: PLC0415
    import transformers  # noqa: PLC0415

    from engine.networks import low_memory  # noqa: PLC0415

    config = transformers.AutoConfig.from_pretrained(str(folder), local_files_only=True)
    architecture = next(iter(config.architectures or ["AutoModel"]))
    auto = next((f"AutoModel{head}" for head in _HEADS if architecture.endswith(head)), "AutoModel")
    model = low_memory.load(getattr(transformers, auto), folder, job.precision)

    def call(ids: "torch.Tensor") -> object:
        return model(input_ids=ids, attention_mask=torch.ones_like(ids))

    named = ARCHITECTURES.get(str(job.architecture))
    return call, int(config.vocab_size), _facts(named, folder, config, low_memory.count_parameters(folder))


_HEADS = ("ForQuestionAnswering", "ForSequenceClassification", "ForTokenClassification", "ForMaskedLM")

_SIZES = (
    ("vocab_size", "vocab_size"),
    ("hidden_size", "hidden_size"),
    ("num_layers", "num_hidden_layers"),
    ("num_heads", "num_attention_heads"),
    ("max_positions", "max_position_embeddings"),
    ("intermediate_size", "intermediate_size"),
    ("intermediate_size", "hidden_dim"),
)
"""Names of sizes in the models table and in configurations of transformers."""


def _facts(named: Architecture | None, folder: Path, config: Any, params: int) -> dict[str, Any]:
    sizes = ((column, getattr(config, attribute, None)) for column, attribute in _SIZES)
    name = folder.resolve().name
    return {
        "model_id": named.model_id if named else f"{config.model_type}-{name}-{params}",
        "name": named.name if named else name,
        "family": named.family if named else config.model_type,
        "architecture": "bert" if named else config.model_type,
        "config": {column: size for column, size in sizes if size is not None},
        "params": params,
        "language": named.language if named else None,
    }


def _load_checkpoint(folder: Path, job: Job) -> LoadedModel:
    import torch  # noqa: PLC0415

    from engine.base.errors import BenchError  # noqa: PLC0415
    from engine.checkpoints import checkpoint  # noqa: PLC0415
    from engine.families.classification import classifiers  # noqa: PLC0415
    from engine.networks import quantization  # noqa: PLC0415
    from engine.networks.neural_classifier import NeuralClassifier  # noqa: PLC0415
    from engine.recipes.schema import SpanConfig  # noqa: PLC0415

    answers_questions = isinstance(checkpoint.read_card(folder).recipe.model, SpanConfig)
    loaded: Any
    if answers_questions:
        from engine.families.span_qa import checkpoint as span_checkpoint  # noqa: PLC0415 - imports peft

        loaded = span_checkpoint.load(folder)
    else:
        loaded = classifiers.load(folder)
        if not isinstance(loaded, NeuralClassifier):
            raise BenchError(
                "This model reads characters or is an ensemble, so its input has no fixed number of tokens; "
                "`featherboard evaluate` times it on texts."
            )
    params = loaded.params  # counted before int8 packs them
    model, recipe = quantization.apply(loaded.model, job.precision), loaded.recipe

    def call(ids: "torch.Tensor") -> object:
        lengths = torch.full((len(ids),), ids.shape[1])
        return model(ids, torch.zeros_like(ids), lengths) if answers_questions else model(ids, lengths)

    return call, loaded.tokenizer.get_vocab_size(), recipe.listed_facts(params)


if __name__ == "__main__":
    main()
