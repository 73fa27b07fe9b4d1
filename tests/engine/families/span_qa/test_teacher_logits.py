"""Question answering learned from a teacher: its logits are kept, fit the words, and count beside the answers."""

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer

from db.runs import detail
from db.storage.store import Store
from engine.base.errors import CheckpointError, RecipeError
from engine.families.span_qa import windows
from engine.families.span_qa.family import teacher_logits
from engine.families.span_qa.model import batch
from engine.families.span_qa.objective import Marked, Spans, masked_logits
from engine.recipes import loader
from engine.recipes.schema import DistillConfig
from engine.training import run as pipeline
from engine.training.job import Job
from tests.factories.recipes import write_recipe
from tests.factories.span_qa import content, settings, toy_answerer, toy_questions, toy_tokenizer, write_squad


def _windows(count: int = 6) -> list[windows.Window]:
    return windows.cut(toy_tokenizer(), toy_questions(count), settings())


def test_the_teachers_logits_are_those_of_its_windows(source: Path, tmp_path: Path) -> None:
    """Each window gets the logits that the teacher gives it alone, to the precision that they are kept in."""
    teacher, cut = toy_answerer(source), _windows()
    logits = teacher_logits(teacher, toy_tokenizer(), cut, tmp_path)
    for window, stored in zip(cut, logits, strict=True):
        assert stored.shape == (len(window.ids), 2)
        assert np.allclose(stored, teacher.logits([window])[0], atol=5e-3)


def test_they_are_computed_once(source: Path, tmp_path: Path) -> None:
    """The second time they come from the file; other windows and other teachers have files of their own."""
    teacher, cut = toy_answerer(source), _windows()
    teacher_logits(teacher, toy_tokenizer(), cut, tmp_path)
    (file,) = (tmp_path / "teacher").glob("*.safetensors")
    save_file({"logits": load_file(file)["logits"] * 0 + 7}, file)
    assert all((logits == 7).all() for logits in teacher_logits(teacher, toy_tokenizer(), cut, tmp_path))
    assert not (teacher_logits(teacher, toy_tokenizer(), cut[1:], tmp_path)[0] == 7).all()
    other = toy_answerer(source, seed=1)
    other.sha256 = "1" * 64
    assert not (teacher_logits(other, toy_tokenizer(), cut, tmp_path)[0] == 7).all()


def test_a_damaged_cache_is_told(source: Path, tmp_path: Path) -> None:
    """A file that was cut off names itself and what to do."""
    teacher, cut = toy_answerer(source), _windows()
    teacher_logits(teacher, toy_tokenizer(), cut, tmp_path)
    (file,) = (tmp_path / "teacher").glob("*.safetensors")
    file.write_bytes(file.read_bytes()[:40])
    with pytest.raises(CheckpointError, match="Delete it"):
        teacher_logits(teacher, toy_tokenizer(), cut, tmp_path)


def test_a_teacher_of_other_words_is_refused(source: Path, tmp_path: Path) -> None:
    """Logits stand for tokens: another vocabulary would teach the wrong ones."""
    other = Tokenizer.from_str(toy_tokenizer().to_str().replace('"warm"', '"cold"'))
    with pytest.raises(RecipeError, match="another vocabulary"):
        teacher_logits(toy_answerer(source), other, _windows(), tmp_path)


@pytest.mark.parametrize("temperature", [1.0, 2.0, 0.5])
def test_the_loss_is_half_answers_half_teacher(source: Path, temperature: float) -> None:
    """Against the sums written out: cross-entropy and T^2 * KL of both ends, over the tokens of each window alone."""
    cut = _windows(3)
    some = toy_questions(3)
    places = windows.targets(cut, some)
    generator = np.random.default_rng(0)
    soft = [generator.normal(size=(len(window.ids), 2)).astype(np.float16) for window in cut]
    student = toy_answerer(source, seed=3).model
    wish = DistillConfig(teacher="x", loss_rate=0.25, temperature=temperature)
    index = np.arange(len(cut))
    marked = Marked(cut, places)
    loss = float(Spans(marked, marked, wish, soft).loss(student, index, torch.device("cpu")).total.detach())
    ids, types, lengths = batch(cut, index)
    logits = student(ids, types, lengths).detach().double().numpy()
    total = 0.0
    for row, window in enumerate(cut):
        size = len(window.ids)
        for end in (0, 1):
            own, theirs = logits[row, :size, end], soft[row][:, end].astype(np.float64)
            hard = np.log(np.exp(own).sum()) - own[places[row, end]]
            p = np.exp(theirs / temperature) / np.exp(theirs / temperature).sum()
            q = np.exp(own / temperature) / np.exp(own / temperature).sum()
            total += 0.25 * hard + 0.75 * temperature**2 * (p * np.log(p / q)).sum()
    assert loss == pytest.approx(total / (2 * len(cut)), rel=1e-4)


def test_padding_stays_out_of_every_softmax() -> None:
    """Masked places have no probability, even at a low temperature, and give no NaN."""
    logits = torch.zeros(1, 4, 2)
    masked = masked_logits(logits, torch.tensor([2]))
    assert torch.allclose(torch.softmax(masked / 0.01, dim=1)[0, :, 0], torch.tensor([0.5, 0.5, 0.0, 0.0]))


def test_a_student_waits_for_its_teacher(board: Store, source: Path, tmp_path: Path) -> None:
    """The teacher is trained first and once; the student's run names it, and both are on the board."""
    folder = str(write_squad(tmp_path / "data"))
    write_recipe(tmp_path / "big.toml", content(source, "big"))
    distill = {"teacher": str(tmp_path / "big.toml"), "loss_rate": 0.5}
    recipe = loader.load(write_recipe(tmp_path / "small.toml", content(source, "small", distill=distill)))
    run_ids = [pipeline.train(Job(recipe, folder, board)) for _ in range(2)]
    for run_id in run_ids:
        assert detail.run_detail(board, run_id).run["teacher"] == "Toy big"
    rows = board.query("SELECT recipe FROM runs WHERE source = 'measured' ORDER BY created_at")
    assert rows["recipe"].tolist() == ["big", "small", "small"]
