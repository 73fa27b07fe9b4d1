"""Energy per 1,000 answers: counted by the processor where it can be read, estimated from a stated wattage."""

import time
from pathlib import Path

import pytest

from db.runs import detail
from db.storage.store import Store
from engine.base.errors import BenchError
from engine.benchmarks import host, messages, options, power, report, runner, worker
from engine.benchmarks.messages import Job, Point
from engine.benchmarks.options import BenchOptions

OPTIONS = BenchOptions(lengths=(384,), threads=(1,), precisions=("float32",), repeats=2, rounds=2)


def zone(folder: Path, name: str, called: str, energy: int | str, wraps_at: int = 1_000_000) -> Path:
    """A zone as the kernel shows it; returns the file of its counter."""
    zone = folder / name
    zone.mkdir(parents=True)
    for file, content in (("name", called), ("max_energy_range_uj", wraps_at), ("energy_uj", energy)):
        (zone / file).write_text(f"{content}\n")
    return zone / "energy_uj"


def test_energy_is_that_of_all_packages_and_nothing_twice(tmp_path: Path) -> None:
    """Cores are part of their package, and a platform holds the packages."""
    first = zone(tmp_path, "intel-rapl:0", "package-0", 100)
    second = zone(tmp_path, "intel-rapl:1", "package-1", 999_000)
    cores, platform = zone(tmp_path, "intel-rapl:0:0", "core", 5), zone(tmp_path, "intel-rapl:2", "psys", 7)
    packages = power.counters(tmp_path)
    before = power.read(packages)
    for file, value in ((first, 2_100), (second, 1_000), (cores, 10_000), (platform, 10_000)):
        file.write_text(str(value))
    assert power.joules(packages, before, power.read(packages)) == pytest.approx((2_000 + 2_000) / 1e6)


@pytest.mark.parametrize("energy", ["", "no number"])
def test_counters_that_cannot_be_read_are_none(tmp_path: Path, energy: str) -> None:
    """Half of a machine's energy would be a wrong figure."""
    zone(tmp_path, "intel-rapl:0", "package-0", 100)
    zone(tmp_path, "intel-rapl:1", "package-1", energy)
    assert power.counters(tmp_path) == ()
    assert power.read(()) is None
    assert power.joules((), None, None) is None
    assert power.counters(tmp_path / "nowhere") == ()


@pytest.mark.parametrize(("seconds", "counted"), [(0.0, False), (power.MIN_SECONDS, True)])
def test_a_worker_counts_the_energy_of_its_timed_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, counted: bool
) -> None:
    """Warm-up does not count, and a moment is too short to say anything."""
    counter = zone(tmp_path, "intel-rapl:0", "package-0", 0, wraps_at=10**9)
    monkeypatch.setattr(host, "state", lambda: host.State(None, None, None))
    monkeypatch.setattr(worker.time, "perf_counter", iter([0.0] * 6 + [seconds] * 9).__next__)
    calls: list[object] = []

    def call(ids: object) -> None:
        calls.append(ids)
        counter.write_text(str(1_000_000 * len(calls)))

    job = Job("transformer", "", repeats=2, powercap=str(tmp_path))
    point = worker._point(job, 1, 384, call, None)  # type: ignore[arg-type]
    assert point.joules == (pytest.approx(2.0) if counted else None)
    assert len(calls) == 4


RAILS = """
   3V3_SYS_A current(1)=0.20000000A
   VDD_CORE_A current(7)=2.50000000A
   3V3_SYS_V volt(9)=3.30000000V
   VDD_CORE_V volt(15)=0.80000000V
   EXT5V_V volt(24)=5.10000000V
"""


def pi(folder: Path, output: str, code: int = 0) -> str:
    """A command that answers as that of a Raspberry Pi 5; returns its path."""
    command = folder / "vcgencmd"
    command.write_text(f"#!/bin/sh\ntest \"$1\" = pmic_read_adc || exit 9\ncat <<'END'\n{output}\nEND\nexit {code}\n")
    command.chmod(0o755)
    return str(command)


def test_the_power_chip_of_a_pi_is_the_sum_of_its_rails(tmp_path: Path) -> None:
    """Inputs that have a voltage alone are no rails; half of the rails would be a wrong figure."""
    assert power.rail_watts(pi(tmp_path, RAILS)) == pytest.approx(0.2 * 3.3 + 2.5 * 0.8)
    for output, code in ((RAILS, 1), ("", 0), (RAILS.replace("3V3_SYS_V", "OTHER_V"), 0)):
        assert not power.rail_watts(pi(tmp_path, output, code))
    assert power.rail_watts(str(tmp_path / "nowhere")) is None
    assert power.rail_watts("") is None


def test_a_worker_on_a_pi_multiplies_the_power_by_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without counters of the processor; with them the chip is not asked."""
    monkeypatch.setattr(host, "state", lambda: host.State(None, None, None))
    rails = pi(tmp_path, RAILS)

    def joules(powercap: Path) -> float | None:
        job = Job("transformer", "", repeats=3, powercap=str(powercap), rails=rails)
        point = worker._point(job, 1, 384, lambda ids: time.sleep(0.05), None)  # type: ignore[arg-type]
        spent.append(sum(point.times_ms) / 1e3)
        return point.joules

    spent: list[float] = []
    assert joules(tmp_path / "none") == pytest.approx(2.66 * spent[0], rel=0.05)
    zone(tmp_path, "intel-rapl:0", "package-0", 0)
    assert joules(tmp_path) == 0.0


def test_cost_is_that_of_the_stated_price() -> None:
    """0.2 s an answer at 1.80 dollars an hour; without a price there is none."""
    points = [Point(384, 1, [100.0, 300.0]), Point(384, 1, [200.0, 200.0])]
    assert [(value.name, value.value) for value in report.cost(points, 1.8)] == [("cost_per_1000", pytest.approx(0.1))]
    assert report.cost(points, None) == []
    settings = options.parse("384", "1", "float32", 2, 2, 1, None, None, 1.8)
    command = options.command(["arch:bert-base"], settings, None)
    assert command[command.index("--price-per-hour") + 1] == "1.8"
    with pytest.raises(BenchError, match="--price-per-hour"):
        options.parse("384", "1", "float32", 2, 2, 1, None, None, 0.0)


def test_energy_is_shown_for_1000_answers_with_how_it_is_known() -> None:
    points = [Point(384, 1, [100.0, 300.0], joules=3.0), Point(384, 1, [200.0, 200.0], joules=5.0)]
    values = {value.name: value.value for value in report.energy(points, 10.0)}
    assert values == pytest.approx({"energy_per_1000": 2000.0, "energy_per_1000_estimated": 2000.0})
    assert [value.name for value in report.energy([*points, Point(384, 1, [200.0])], None)] == []


def test_a_stated_wattage_is_an_estimate_on_the_board(store: Store, fake: Path, tmp_path: Path) -> None:
    """384 tokens take the fake worker 768 ms; the command repeats the wattage."""
    settings = options.parse("384", "1", "float32", 2, 2, 1, None, 7.5)
    command = options.command(["arch:bert-base"], settings, None)
    assert command[command.index("--watts") + 1] == "7.5"
    outcome = runner.bench(store, ["arch:bert-base"], settings, "featherboard bench", powercap=tmp_path)
    values = detail.run_detail(store, outcome.run_ids[0]).metrics.set_index("name")["value"]
    assert values["energy_per_1000_estimated"] == pytest.approx(1000 * 7.5 * 0.768)
    assert "energy_per_1000" not in values


def test_every_worker_is_told_where_the_counters_are(
    store: Store, fake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs: list[messages.Job] = []
    run = runner.process.run
    monkeypatch.setattr(runner.process, "run", lambda job, take: (jobs.append(job), run(job, take))[1])
    runner.bench(store, ["arch:bert-base"], OPTIONS, "featherboard bench", powercap=tmp_path)
    assert {job.powercap for job in jobs} == {str(tmp_path)}


@pytest.mark.parametrize("watts", [0.0, -1.0, float("nan"), 1e9])
def test_an_impossible_wattage_is_refused(watts: float) -> None:
    with pytest.raises(BenchError, match="--watts"):
        options.parse("384", "1", "float32", 2, 2, 1, None, watts)
