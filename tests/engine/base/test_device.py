"""The number format that a recipe's precision comes to on a processor, and the number of its threads."""

import platform

import pytest
import torch

from engine.base import cores, device


@pytest.mark.parametrize(
    ("machine", "native", "converted", "used"),
    [
        ("x86_64", True, True, True),
        ("x86_64", False, True, False),
        ("AMD64", False, True, False),
        ("x86_64", False, False, False),
        ("aarch64", False, True, True),
        ("aarch64", False, False, False),
    ],
)
def test_bfloat16_is_used_where_the_processor_multiplies_in_it(
    monkeypatch: pytest.MonkeyPatch, machine: str, native: bool, converted: bool, used: bool
) -> None:
    """AVX-512 alone only converts, which is slower than single precision; an ARM processor says so itself."""
    monkeypatch.setattr(platform, "machine", lambda: machine)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: native)
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: False)
    monkeypatch.setattr(device, "cpu_has_bfloat16", lambda: converted)
    assert device.halves("bfloat16") == used
    assert not device.halves("float32")


@pytest.mark.parametrize(("value", "threads"), [("3", 3), ("2,1", 2), ("0", cores.count()), ("x", cores.count())])
def test_threads_are_those_of_the_environment(monkeypatch: pytest.MonkeyPatch, value: str, threads: int) -> None:
    """Who limits the threads of a program by OMP_NUM_THREADS, as for torch itself, is heeded; a command goes before."""
    monkeypatch.setenv("OMP_NUM_THREADS", value)
    monkeypatch.setattr(torch, "set_num_threads", lambda count: None)
    assert (device.pin_threads(), device.pin_threads(7)) == (threads, 7)
