"""The machine: sizes, peak memory, names and throttling."""

import subprocess
import sys

import pytest

from engine.benchmarks import host


@pytest.mark.parametrize(("text", "size"), [("512M", 512 * 2**20), ("4G", 2**32), ("1.5GiB", 3 * 2**29), ("2g", 2**31)])
def test_sizes_of_memory_are_read(text, size):
    assert host.parse_size(text) == size


def test_the_peak_of_a_process_is_its_own_and_not_its_parents():
    held = bytearray(300_000_000)
    held[::4096] = b"1" * len(held[::4096])
    code = "from engine.benchmarks import host; print(host.peak_memory())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 5e6 < int(done.stdout) < 200e6
    assert host.peak_memory() > 300e6


def test_the_firmwares_answer_is_decoded():
    assert host.parse_throttling("throttled=0x50005\n") == [
        "under-voltage now",
        "throttled now",
        "under-voltage since boot",
        "throttled since boot",
    ]
    assert host.parse_throttling("throttled=0x0") == []


def test_a_machine_without_a_name_in_the_kernel_still_has_one(tmp_path):
    arm = tmp_path / "cpuinfo"
    arm.write_text("processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0b\n")
    assert host.cpu_name(arm)
    assert host.cpu_name(tmp_path / "missing")
    x86 = tmp_path / "x86"
    x86.write_text("processor\t: 0\nmodel name\t: A Test CPU\n")
    assert host.cpu_name(x86) == "A Test CPU"
