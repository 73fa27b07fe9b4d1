"""`featherboard bench`: what is asked for, how rounds are measured, what ends up on the board, and what is refused."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest
import torch
from transformers import BertConfig, BertForQuestionAnswering
from typer.testing import CliRunner

from db.base.paths import cache_folder
from db.bootstrap import integrity
from db.bootstrap.create import initialise
from db.runs import bundles, timings
from db.runs import detail as queries
from db.storage.store import Store
from engine.base.errors import BenchError, CheckpointError
from engine.benchmarks import arguments, host, host_state, limits, models, runner, session
from engine.benchmarks.architectures import ARCHITECTURES, positions
from engine.benchmarks.protocol import Job, Loaded, Peak, Point, Refused, decode, encode
from engine.benchmarks.runner import Wish
from engine.cli.app import app, main
from engine.networks import quantization

WISH = Wish(lengths=(32, 384), threads=(1,), precisions=("float32",), repeats=2, rounds=2)

# Speaks the protocol without torch; the precision, or the model's name, chooses what happens.
FAKE = """
import json, os, signal, sys, time
job = json.loads(sys.stdin.read())
log = os.environ["FAKE_LOG"]
with open(log, "a") as file:
    file.write(f"{job['kind']} {job['architecture']} {job['precision']}\\n")
turns = open(log).read().count(f"architecture {job['architecture']} {job['precision']}\\n")
def tell(kind, **values):
    print(json.dumps({"is": kind, **values}), flush=True)
if job["kind"] == "make":
    os.makedirs(job["folder"]); open(job["folder"] + "/model.safetensors", "w").close()
    tell("Peak", bytes=1); sys.exit()
name = job["architecture"]
tell("Loaded", model_id=name, name=name, family="BERT", architecture="bert", config={}, params=1000, language="en",
     bytes=4000, load_seconds=1.5)
slow = 2.0 if name == "bert-base" else 1.0
for threads in job["threads"]:
    for tokens in job["lengths"]:
        tell("Point", tokens=tokens, threads=threads, times_ms=[slow * tokens] * job["repeats"], load_average=0.5,
             celsius=50.0, clock_mhz=2400.0)
        if os.environ.get("FAKE_TROUBLE", "") == f"{name} {turns}":
            what = os.environ["FAKE_WHAT"]
            if what == "refuse": tell("Refused", reason="It does not want to.", memory=False); sys.exit()
            if what == "memory": tell("Refused", reason="MemoryError", memory=True); sys.exit()
            if what == "kill": os.kill(os.getpid(), signal.SIGKILL)
            if what == "crash": sys.exit("a last word")
            if what == "half": sys.stdout.write('{"is": "Poi'); sys.stdout.flush(); os._exit(3)
            if what == "interrupt": time.sleep(0.5); os.kill(os.getppid(), signal.SIGINT); time.sleep(30)
            if what == "eat": eaten = bytearray(200_000_000); time.sleep(30)
tell("Peak", bytes=100_000_000)
"""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A board with what is reported."""
    made = Store(tmp_path / "featherboard.duckdb")
    initialise(made)
    return made


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """A worker without torch; returns its log."""
    script, log = tmp_path / "worker.py", tmp_path / "log"
    script.write_text(textwrap.dedent(FAKE), "utf-8")
    monkeypatch.setattr(runner, "WORKER", (sys.executable, str(script)))
    monkeypatch.setattr(host, "busy_share", lambda: 0.0)
    monkeypatch.setattr(host_state, "state", lambda: host_state.State(0.1, None, None))
    monkeypatch.setenv("FAKE_LOG", str(log))
    return log


def run(store: Store, *names: str, wish: Wish = WISH):
    return session.bench(store, [f"arch:{name}" for name in names], wish, "featherboard bench", "A test machine")


def test_models_take_turns_so_that_drift_hits_all_alike(store, fake):
    run(store, "bert-base", "distilbert")
    asked = [line for line in fake.read_text().splitlines() if not line.startswith("make")]
    assert asked == ["architecture bert-base float32", "architecture distilbert float32"] * 2


def test_a_bench_is_one_finished_run_a_model_with_timings_machine_and_figures(store, fake):
    outcome = run(store, "bert-base", "distilbert")
    assert len(outcome.run_ids) == 2
    detail = queries.run_detail(store, outcome.run_ids[0])
    assert (detail.run["status"], detail.run["source"], detail.run["device"]) == (
        "finished",
        "measured",
        "A test machine",
    )
    assert detail.run["caveat"] is None
    assert dict(zip(detail.metrics["name"], detail.metrics["value"], strict=True)) == pytest.approx(
        {
            "checkpoint_bytes": 4000,
            "load_seconds": 1.5,
            "peak_memory_bytes": 1e8,
            "latency_ms_p50": 768,
            "latency_ms_p95": 768,
            "latency_ms_p99": 768,
            "questions_per_s": 1000 / 768,
            "latency_threads": 1,
            "latency_load": 0.5,
        }
    )
    rows = timings.of_run(store, outcome.run_ids[0])
    assert rows[["tokens", "calls", "p50_ms", "celsius", "clock_mhz"]].to_numpy().tolist() == [
        [32, 4, 64.0, 50.0, 2400.0],
        [384, 4, 768.0, 50.0, 2400.0],
    ]
    found = timings.measured(store)
    assert set(found["machine"]) == {"A test machine"}
    assert json.loads(found["facts"].iloc[0])["limit"] is None
    assert not integrity.check(store)


def test_a_model_that_documents_report_is_the_same_model_here(store, fake):
    run(store, "bert-base")
    assert store.query("SELECT params FROM models WHERE model_id = 'bert-base'")["params"].tolist() == [109_482_240]


def test_random_weights_are_deleted_at_the_end(store, fake):
    run(store, "bert-base")
    assert not (cache_folder(store.path) / "bench").exists()


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("refuse", "It does not want to."),
        ("memory", "It does not fit this machine"),
        ("kill", "It does not fit this machine"),
        ("crash", "its last words: a last word"),
        ("half", "ended with 3; its last words: nothing"),
    ],
)
def test_a_model_in_trouble_is_told_in_words_and_the_others_go_on(store, fake, monkeypatch, capfd, what, said):
    monkeypatch.setenv("FAKE_TROUBLE", "bert-base 1")
    monkeypatch.setenv("FAKE_WHAT", what)
    outcome = run(store, "bert-base", "distilbert")
    assert said in str(outcome.measured[0].trouble)
    assert said in " ".join(capfd.readouterr().err.split())
    assert fake.read_text().count("architecture bert-base") == 1, "it has no second turn"
    assert outcome.measured[1].trouble is None
    assert len(outcome.measured[1].peaks) == 2


def test_what_was_measured_before_the_trouble_stays_with_a_caveat(store, fake, monkeypatch):
    monkeypatch.setenv("FAKE_TROUBLE", "bert-base 2")
    monkeypatch.setenv("FAKE_WHAT", "crash")
    outcome = run(store, "bert-base")
    caveat = queries.run_detail(store, outcome.run_ids[0]).run["caveat"]
    assert caveat.startswith("1 of 2 rounds were measured to their end. Its process ended with 1")
    assert timings.of_run(store, outcome.run_ids[0])["calls"].tolist() == [4, 2]


def test_a_model_over_the_memory_limit_is_ended_and_told(store, fake, monkeypatch):
    monkeypatch.setenv("FAKE_TROUBLE", "bert-base 1")
    monkeypatch.setenv("FAKE_WHAT", "eat")
    began = time.monotonic()
    wish = Wish((32,), (1,), ("float32",), 2, 1, memory=150 * 2**20)
    outcome = run(store, "distilbert", "bert-base", wish=wish)
    assert time.monotonic() - began < 20
    assert outcome.measured[0].trouble is None, "the one that fits was measured"
    assert outcome.measured[1].trouble == (
        "It does not fit 150M of memory. Give more with --limit-memory, or --precision int8."
    )


def test_ctrl_c_keeps_what_was_measured_and_ends_the_worker(store, fake, monkeypatch):
    monkeypatch.setenv("FAKE_TROUBLE", "distilbert 1")
    monkeypatch.setenv("FAKE_WHAT", "interrupt")
    began = time.monotonic()
    outcome = run(store, "bert-base", "distilbert")
    assert outcome.stopped
    assert time.monotonic() - began < 20, "the worker was not waited for"
    done, cut = outcome.run_ids
    assert len(timings.of_run(store, done)) == 2
    assert len(timings.of_run(store, cut)) == 1
    assert queries.run_detail(store, done).run["status"] == "finished"
    assert queries.run_detail(store, cut).run["caveat"] == "0 of 2 rounds were measured to their end. Stopped by hand."


def test_the_end_of_the_parent_is_the_end_of_its_worker(tmp_path):
    parent = (
        "import os, subprocess, sys\n"
        "code = f'from engine.benchmarks.worker import _end_with; _end_with({os.getpid()})'\n"
        "worker = subprocess.Popen([sys.executable, '-c', code], start_new_session=True)\n"
        "print(worker.pid, flush=True)\nimport time; time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE, text=True)
    worker = int(process.stdout.readline())
    process.kill()
    process.wait()
    process.stdout.close()
    for _ in range(200):
        if not psutil.pid_exists(worker) or psutil.Process(worker).status() == psutil.STATUS_ZOMBIE:
            return
        time.sleep(0.1)
    os.kill(worker, signal.SIGKILL)
    pytest.fail("the worker outlived its parent")


def test_a_bundle_shows_the_machine_on_another_board(store, fake, tmp_path):
    outcome = run(store, "bert-base", "distilbert")
    assert session.write_bundle(store, tmp_path / "pi.zip", outcome) == 2
    other = Store(tmp_path / "other.duckdb")
    initialise(other)
    assert bundles.import_runs(other, tmp_path / "pi.zip").added == 2
    assert timings.measured(other).to_dict("records") == timings.measured(store).to_dict("records")


def test_without_a_measurement_there_is_no_bundle(store, fake, monkeypatch, tmp_path):
    outcome = session.Outcome([], [], None, False, WISH)
    with pytest.raises(BenchError, match="no bundle was written"):
        session.write_bundle(store, tmp_path / "pi.zip", outcome)
    assert not (tmp_path / "pi.zip").exists()


def test_a_busy_machine_is_told_in_words(store, fake, monkeypatch):
    monkeypatch.setattr(host, "busy_share", lambda: 0.6)
    outcome = run(store, "bert-base")
    assert "busy with other work (up to 60% of its cores)" in outcome.warning
    assert "busy with other work" in queries.run_detail(store, outcome.run_ids[0]).run["caveat"]


def test_the_command_prints_a_table_and_what_to_type_on_the_other_board(store, fake, monkeypatch, tmp_path):
    monkeypatch.setenv("FEATHERBOARD_DB", str(store.path))
    bundle = tmp_path / "pi.zip"
    done = CliRunner().invoke(
        app,
        [
            "bench",
            "--models",
            "arch:bert-base",
            "--lengths",
            "32,384",
            "--threads",
            "1",
            "--precision",
            "float32",
            "--repeats",
            "2",
            "--rounds",
            "1",
            "--output",
            str(bundle),
            "--device-name",
            "Raspberry Pi 5, 8 GB",
        ],
    )
    assert done.exit_code == 0, done.output
    said = " ".join(done.output.split())
    assert "bert-base, float32 1 64 ms 768 ms 100 MB 1.5 s" in said
    assert "featherboard db import pi.zip" in said
    assert bundle.is_file()
    command = store.query("SELECT command FROM runs WHERE recipe = 'bench'")["command"].iloc[0]
    assert command == (
        "featherboard bench --models arch:bert-base --lengths 32,384 --threads 1 --precision float32 "
        "--repeats 2 --rounds 1 --batch 1 --device-name 'Raspberry Pi 5, 8 GB'"
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--models", "arch:gpt-9"], "there are arch:bert-base"),
        (["--models", "nowhere"], "There is no model 'nowhere'"),
        (["--models", " , "], "--models is empty"),
        (["--lengths", "513"], "arch:bert-base has 512 positions, so it cannot read 513 tokens"),
        (["--lengths", "0"], "--lengths: '0' is not a whole number"),
        (["--lengths", "12,x"], "--lengths: 'x' is not a whole number"),
        (["--lengths", "٣"], "is not a whole number"),
        (["--threads", "4000"], "would only wait"),
        (["--precision", "int4"], "there is no 'int4'; there are float32, bfloat16, int8"),
        (["--limit-memory", "lots"], "'lots' is no size"),
        (["--limit-memory", "1M"], "too little for any process"),
        (["--output", "/"], "is a folder"),
    ],
)
def test_what_is_impossible_is_told_before_anything_is_measured(store, fake, monkeypatch, capsys, options, said):
    monkeypatch.setenv("FEATHERBOARD_DB", str(store.path))
    monkeypatch.setattr(sys, "argv", ["featherboard", "bench", *options])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 1
    error = " ".join(capsys.readouterr().err.split())
    assert error.startswith("Error: ")
    assert said in error
    assert not fake.exists()
    assert timings.measured(store).empty


def test_a_pickle_is_told_and_never_read(tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    torch.save({}, tmp_path / "pytorch_model.bin")
    with pytest.raises(CheckpointError, match=r"pytorch_model\.bin may hold a pickle, which is never read"):
        models.resolve(str(tmp_path), tmp_path / "db")


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, r"neither a card\.json nor a config\.json"),
        ({"config.json": "{", "model.safetensors": ""}, r"config\.json cannot be read"),
        ({"config.json": "[]", "model.safetensors": ""}, "not a JSON object"),
        ({"config.json": "{}"}, "there are no weights"),
    ],
)
def test_a_folder_that_holds_no_model_is_told(tmp_path, files, said):
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    with pytest.raises(CheckpointError, match=said):
        models.resolve(str(tmp_path), tmp_path / "db")


def test_a_hub_id_that_cannot_be_had_names_the_ways_without_a_network(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(BenchError, match="time its architecture: arch:bert-base"):
        models.resolve("nobody/no-such-model", tmp_path / "db")


def test_names_mean_shipped_checkpoints_runs_and_folders(tmp_path):
    database = tmp_path / "featherboard.duckdb"
    assert models.resolve("distilkobilstm-tiny", database).kind == "checkpoint"
    run_folder = tmp_path / "runs" / "0123456789abcdef" / "checkpoint"
    run_folder.mkdir(parents=True)
    (run_folder / "card.json").write_text("{}")
    assert models.resolve("01234567", database).folder == run_folder
    folder = tmp_path / "model"
    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
    config = BertConfig(vocab_size=50, max_position_embeddings=40, **sizes)
    BertForQuestionAnswering(config).save_pretrained(folder)
    found = models.resolve(str(folder), database)
    assert (found.kind, found.positions) == ("transformer", 40)


def test_positions_behind_the_padding_token_are_not_counted():
    facts = {"max_position_embeddings": 514, "pad_token_id": 1}
    assert positions("roberta", facts) == 512
    assert positions("bert", facts) == 514
    assert positions("bilstm", {}) is None


def test_the_parameters_of_named_architectures_are_those_of_the_published_models(tmp_path):
    """Counted on models without weights: question-answering heads, so no pooler."""
    from accelerate import init_empty_weights
    from transformers import AutoConfig, AutoModelForQuestionAnswering

    published = {
        "bert-base": (109_482_240, 768),
        "minilm-l6": (22_713_216, 384),
        "bert-mini": (11_170_560, 256),
        "bert-tiny": (4_385_920, 128),
    }
    expected = {name: whole - (width + 1) * width + 2 * (width + 1) for name, (whole, width) in published.items()}
    expected |= {"distilbert": 66_362_880 + 2 * 769, "koelectra-small": 14_056_706}
    counted = {}
    for name, made in ARCHITECTURES.items():
        with init_empty_weights():
            model = AutoModelForQuestionAnswering.from_config(AutoConfig.for_model(made.model_type, **made.config))
        counted[name] = sum(weight.numel() for weight in model.parameters())
    assert counted == expected


def test_the_words_for_precisions_are_the_engines():
    assert arguments.PRECISIONS == quantization.PRECISIONS


@pytest.mark.parametrize(("text", "size"), [("512M", 512 * 2**20), ("4G", 2**32), ("1.5GiB", 3 * 2**29), ("2g", 2**31)])
def test_sizes_of_memory_are_read(text, size):
    assert limits.parse(text) == size


def test_the_peak_of_a_process_is_its_own_and_not_its_parents():
    held = bytearray(300_000_000)
    held[::4096] = b"1" * len(held[::4096])
    code = "from engine.benchmarks import limits; print(limits.peak())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 5e6 < int(done.stdout) < 200e6
    assert limits.peak() > 300e6


def test_the_worker_imports_little_of_its_own():
    code = "import sys, engine.benchmarks.worker; print({'pandas', 'duckdb', 'torch'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_the_firmwares_answer_is_told_in_words():
    assert host.throttling_of("throttled=0x50005\n") == [
        "under-voltage now",
        "throttled now",
        "under-voltage since boot",
        "throttled since boot",
    ]
    assert host.throttling_of("throttled=0x0") == []


def test_a_machine_without_a_name_in_the_kernel_still_has_one(tmp_path):
    arm = tmp_path / "cpuinfo"
    arm.write_text("processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0b\n")
    assert host.cpu_name(arm)
    assert host.cpu_name(tmp_path / "missing")
    x86 = tmp_path / "x86"
    x86.write_text("processor\t: 0\nmodel name\t: A Test CPU\n")
    assert host.cpu_name(x86) == "A Test CPU"


def test_what_is_said_arrives():
    said = [
        Loaded("m", "M", "F", "bert", {"a": 1}, 5, None, 20, 1.0),
        Point(32, 1, [1.0, 2.0]),
        Peak(7),
        Refused("no", memory=True),
    ]
    assert [decode(encode(one)) for one in said] == said
    job = Job("make", "/x", lengths=(1, 2), threads=(3,))
    assert Job.from_json(job.to_json()) == job


def test_a_real_worker_measures_a_real_model(store, monkeypatch):
    """From random weights in a file to figures, in a process of its own; no fake in between."""
    monkeypatch.setattr(host, "busy_share", lambda: 0.0)
    wish = Wish(lengths=(8,), threads=(1,), precisions=("float32",), repeats=3, rounds=1)
    (one,) = run(store, "bert-tiny", wish=wish).measured
    assert one.trouble is None
    assert one.loaded[0].params == 4_369_666
    assert one.loaded[0].bytes == pytest.approx(4 * 4_369_666, rel=0.01)
    assert len(one.points[1, 8][0].times_ms) == 3
    assert 150e6 < one.peaks[0] < 900e6
