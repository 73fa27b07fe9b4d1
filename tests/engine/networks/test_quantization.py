"""Number formats: what each keeps of a float32 model, what it refuses, and that an int8 model fits small machines."""

import json
import subprocess
import sys

import pytest
import torch
from torch import nn
from transformers import AutoModelForQuestionAnswering, BertConfig, DistilBertConfig

from engine.base import device
from engine.base.errors import CheckpointError, ModelError, PrecisionError
from engine.networks import low_memory, quantization
from engine.networks.bilstm import BiLSTMClassifier

needs_int8 = pytest.mark.skipif(not quantization.available("int8"), reason="this build of torch has no int8 kernels")


def small_qa(seed=0, kind=DistilBertConfig):
    torch.manual_seed(seed)
    if kind is DistilBertConfig:
        config = kind(vocab_size=20_000, dim=64, n_layers=2, n_heads=4, hidden_dim=128, max_position_embeddings=64)
    else:
        config = kind(
            vocab_size=20_000, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128
        )
    return AutoModelForQuestionAnswering.from_config(config).eval()


@pytest.fixture
def ids():
    return torch.randint(0, 20_000, (3, 40), generator=torch.Generator().manual_seed(1))


def starts(model, ids):
    with torch.inference_mode():
        return model(ids).start_logits.float()


def distance(outputs, expected):
    return float((outputs - expected).detach().pow(2).mean().sqrt() / expected.detach().std())


@needs_int8
def test_int8_logits_are_close_to_float32(ids):
    model = small_qa()
    expected = starts(model, ids)
    outputs = starts(quantization.apply(model, "int8"), ids)
    assert 0 < distance(outputs, expected) < 0.05
    assert not list(quantization.linears(model)), "a Linear layer was left as it was"


@needs_int8
def test_int8_of_one_text_hardly_depends_on_its_neighbours_in_the_batch(ids):
    model = quantization.apply(small_qa(), "int8")
    assert distance(starts(model, ids)[:1], starts(model, ids[:1])) < 0.02


@needs_int8
def test_an_int8_layer_is_as_exact_for_small_texts_as_for_large():
    torch.manual_seed(0)
    layer, inputs = nn.Linear(96, 33), torch.randn(2, 5, 96) * torch.tensor([1.0, 1000.0]).reshape(2, 1, 1)
    expected = layer(inputs)
    outputs = quantization.Int8Linear.of(layer.weight, layer.bias)(inputs)
    assert outputs.shape == expected.shape
    for text, expected_text in zip(outputs, expected, strict=True):
        assert distance(text, expected_text) < 0.03


@needs_int8
def test_an_int8_layer_without_bias_and_with_zero_input():
    layer = nn.Linear(16, 8, bias=False)
    assert torch.equal(quantization.Int8Linear.of(layer.weight, None)(torch.zeros(1, 16)), torch.zeros(1, 8))


@needs_int8
def test_quantizing_leaves_torchs_own_choice_of_kernels_as_it_was():
    before = torch.backends.quantized.engine
    quantization.apply(small_qa(), "int8")
    assert torch.backends.quantized.engine == before


def test_an_int8_table_keeps_each_row_to_a_part_in_a_hundred():
    table = torch.randn(50, 32) * torch.logspace(-4, 4, 50).unsqueeze(1)
    ids = torch.arange(50).reshape(5, 10)
    outputs = quantization.Int8Embedding.of(table)(ids)
    peaks = table.abs().amax(dim=1, keepdim=True)
    assert float(((outputs.reshape(50, 32) - table) / peaks).abs().max()) <= 0.5 / 127 + 1e-6


@pytest.mark.skipif(not device.cpu_has_bfloat16(), reason="this processor has no bfloat16")
def test_bfloat16_logits_are_close_to_float32(ids):
    model = small_qa()
    expected = starts(model, ids)
    assert 0 < distance(starts(quantization.apply(model, "bfloat16"), ids), expected) < 0.05


def test_float32_changes_nothing_and_ends_training_mode(ids):
    model = small_qa()
    expected = starts(model, ids)
    assert torch.equal(starts(quantization.apply(model.train(), "float32"), ids), expected)


def test_an_unknown_precision_is_refused_with_the_known_ones():
    with pytest.raises(PrecisionError, match=r"'int4'.*float32, bfloat16, int8"):
        quantization.apply(nn.Linear(2, 2), "int4")


def test_a_machine_without_kernels_is_explained(monkeypatch):
    monkeypatch.setattr(quantization, "_supported", lambda: ["none"])
    availability = quantization.available("int8")
    assert not availability
    assert "has none of the int8 kernels" in availability.reason
    with pytest.raises(PrecisionError, match=r"does not support int8.*use float32"):
        quantization.apply(small_qa(), "int8")
    with pytest.raises(PrecisionError, match="does not support int8"):
        quantization.Int8Linear.of(torch.ones(2, 2), None)


def test_a_processor_without_bfloat16_gets_an_alternative(monkeypatch):
    monkeypatch.setattr(device, "cpu_has_bfloat16", lambda: False)
    with pytest.raises(PrecisionError, match=r"does not support bfloat16.*Raspberry Pi 5.*int8 or float32"):
        quantization.apply(small_qa(), "bfloat16")


def test_a_raspberry_pi_takes_the_kernels_of_arm(monkeypatch):
    monkeypatch.setattr(quantization.platform, "machine", lambda: "aarch64")
    monkeypatch.setattr(quantization, "_supported", lambda: ["qnnpack", "none", "onednn"])
    assert quantization.int8_engine() == "onednn"
    monkeypatch.setattr(quantization, "_supported", lambda: ["qnnpack", "none"])
    assert quantization.int8_engine() == "qnnpack"


@needs_int8
def test_a_network_that_is_no_stack_of_linear_layers_is_not_called_int8():
    model = BiLSTMClassifier(100, 16, 16, num_labels=2, dropout=0.0)
    with pytest.raises(PrecisionError, match="in name only"):
        quantization.apply(model, "int8")
    assert all(type(module) is not quantization.Int8Linear for module in model.modules())


@needs_int8
def test_a_weight_that_is_not_finite_is_refused():
    weight = torch.ones(4, 4)
    weight[2, 1] = float("nan")
    with pytest.raises(PrecisionError, match="not a finite number"):
        quantization.Int8Linear.of(weight, None)


@pytest.mark.parametrize("kind", [DistilBertConfig, BertConfig])
@pytest.mark.parametrize("precision", quantization.PRECISIONS)
def test_a_model_read_layer_by_layer_is_the_one_that_was_read_whole(tmp_path, ids, kind, precision):
    if not quantization.available(precision):
        pytest.skip(quantization.available(precision).reason)
    model = small_qa(kind=kind)
    model.save_pretrained(tmp_path)
    layered = low_memory.load(AutoModelForQuestionAnswering, tmp_path, precision)
    assert not any(tensor.is_meta for tensor in [*layered.parameters(), *layered.buffers()])
    assert torch.equal(starts(layered, ids), starts(quantization.apply(model, precision), ids))


def test_weights_under_other_names_are_still_found(tmp_path, ids):
    model = small_qa()
    model.distilbert.save_pretrained(tmp_path)  # the bare encoder: the head is new
    read = low_memory.load(AutoModelForQuestionAnswering, tmp_path)
    with torch.inference_mode():
        expected = model.distilbert(ids).last_hidden_state
        assert torch.equal(read.distilbert(ids).last_hidden_state, expected)


def test_a_damaged_file_and_a_folder_without_a_model_are_refused(tmp_path):
    with pytest.raises(ModelError, match=r"no readable config\.json"):
        low_memory.load(AutoModelForQuestionAnswering, tmp_path)
    small_qa().save_pretrained(tmp_path)
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:2000])
    with pytest.raises(CheckpointError, match="cannot be read"):
        low_memory.load(AutoModelForQuestionAnswering, tmp_path)


def test_weights_of_another_size_are_refused(tmp_path):
    small_qa().save_pretrained(tmp_path)
    facts = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**facts, "hidden_dim": 256}))
    with pytest.raises(CheckpointError, match=r"has shape \(128.*configuration says \(256"):
        low_memory.load(AutoModelForQuestionAnswering, tmp_path)


def test_a_pickle_is_never_read(tmp_path):
    model = small_qa()
    model.config.save_pretrained(tmp_path)
    torch.save(model.state_dict(), tmp_path / "pytorch_model.bin")
    with pytest.raises(ModelError, match="no readable model in safetensors"):
        low_memory.load(AutoModelForQuestionAnswering, tmp_path)


_PEAK = """
import sys, torch
from pathlib import Path
from transformers import AutoModelForQuestionAnswering
from engine.networks import low_memory
torch.set_num_threads(1)
model = low_memory.load(AutoModelForQuestionAnswering, Path(sys.argv[1]), "int8")
with torch.inference_mode():
    model(torch.arange(384).unsqueeze(0), attention_mask=torch.ones(1, 384, dtype=torch.long))
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(int(peak.split()[1]) // 1024)  # not ru_maxrss, which starts at the size of the process that started this one
"""


@needs_int8
@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_an_int8_distilbert_needs_half_a_gigabyte_not_its_float32_weights_too(tmp_path):
    AutoModelForQuestionAnswering.from_config(DistilBertConfig()).save_pretrained(tmp_path)
    done = subprocess.run([sys.executable, "-c", _PEAK, str(tmp_path)], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 530  # about 500 measured, of which torch and transformers alone are 375
