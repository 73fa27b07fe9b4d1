"""Students made from a teacher's layers, what they learn from it, and networks that transformers reads again."""

import math
import shutil
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForMaskedLM, BertForMaskedLM, DistilBertForMaskedLM, RobertaConfig, RobertaForMaskedLM

from engine.base.errors import ModelError, RecipeError
from engine.families.masked_lm import network, objective, parts
from engine.families.masked_lm.network import MaskedLM
from tests.engine.damage import Trap
from tests.factories.command_line import one_line
from tests.factories.masked_lm import WORDS, tiny_bert, tiny_tokenizer

IDS = torch.tensor([[2, 5, 9, 4, 12, 7, 3], [2, 8, 4, 3, 0, 0, 0]])
LENGTHS = torch.tensor([7, 4])


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny BERT with its head; all its weights, segments included, are far from zero."""
    return tiny_bert(tmp_path_factory.mktemp("bert"))


@pytest.fixture
def teacher(bert: Path) -> MaskedLM:
    """The same, read."""
    return network.with_head(str(bert), "tiny").eval()


def _inside(states: torch.Tensor) -> torch.Tensor:
    return states[network.within(IDS, LENGTHS)]


@torch.no_grad()
def _cut_down(bert: Path, layers: list[int]) -> BertForMaskedLM:
    whole = BertForMaskedLM.from_pretrained(bert).eval()
    whole.bert.encoder.layer = torch.nn.ModuleList([whole.bert.encoder.layer[i] for i in layers])
    return whole


@torch.no_grad()
@pytest.mark.parametrize(
    ("layers", "taken"), [(None, [0, 2]), ([0, 1, 2, 3], [0, 1, 2, 3]), ([3], [3]), ([1, 3], [1, 3])]
)
def test_a_student_begins_as_the_layers_that_it_took(
    bert: Path, teacher: MaskedLM, layers: list[int] | None, taken: list[int]
) -> None:
    """Hidden states and logits are those of the teacher cut down to these layers, segments and all."""
    pupil = parts.student_of(teacher, layers, from_teacher=True).eval()
    theirs = _cut_down(bert, taken)(IDS, attention_mask=network.within(IDS, LENGTHS).long(), output_hidden_states=True)
    states, logits = pupil(IDS, LENGTHS, network.within(IDS, LENGTHS))
    assert torch.allclose(_inside(states), _inside(theirs.hidden_states[-1]), atol=1e-5)
    assert torch.allclose(logits, _inside(theirs.logits), atol=1e-5)
    assert len(pupil.encoder.transformer.layer) == len(taken)


@torch.no_grad()
def test_without_the_first_segment_it_would_not(bert: Path, teacher: MaskedLM) -> None:
    """The tiny teacher's segment matters: a student whose positions lack it sees something else."""
    pupil = parts.student_of(teacher, None, from_teacher=True).eval()
    right = pupil.hidden(IDS, LENGTHS)
    pupil.encoder.embeddings.position_embeddings.weight -= teacher.encoder.embeddings.token_type_embeddings.weight[0]
    assert not torch.allclose(_inside(pupil.hidden(IDS, LENGTHS)), _inside(right), atol=1e-2)


def test_a_student_has_its_own_weights(teacher: MaskedLM) -> None:
    """What the student learns never reaches the teacher."""
    before = {name: tensor.clone() for name, tensor in teacher.state_dict().items()}
    pupil = parts.student_of(teacher, None, from_teacher=True)
    with torch.no_grad():
        for parameter in pupil.parameters():
            parameter.add_(1.0)
    assert all(torch.equal(tensor, before[name]) for name, tensor in teacher.state_dict().items())


def test_a_random_student_has_the_shape_and_none_of_the_weights(teacher: MaskedLM) -> None:
    """The same shapes; the seed alone decides the weights."""
    taken = parts.student_of(teacher, None, from_teacher=True).state_dict()
    states = []
    for seed in (0, 0, 1):
        torch.manual_seed(seed)
        states.append(parts.student_of(teacher, None, from_teacher=False).state_dict())
    assert {name: tensor.shape for name, tensor in states[0].items()} == {name: t.shape for name, t in taken.items()}
    words = "encoder.embeddings.word_embeddings.weight"
    assert not torch.allclose(states[0][words], taken[words], atol=0.05)
    assert torch.equal(states[0][words], states[1][words])
    assert not torch.equal(states[0][words], states[2][words])


def test_it_has_neither_segments_nor_a_pooler(teacher: MaskedLM) -> None:
    """DistilBERT's two omissions, and the count of parameters that follows from the shapes."""
    pupil = parts.student_of(teacher, None, from_teacher=True)
    names = set(pupil.state_dict())
    assert not any("token_type" in name or "pooler" in name for name in names)
    width, inner, words, places = 12, 20, len(WORDS), 40
    layer = 4 * (width * width + width) + 2 * width * inner + inner + width + 4 * width
    head = width * width + width + 2 * width + words
    assert sum(p.numel() for p in pupil.parameters()) == (words + places + 2) * width + 2 * layer + head


@torch.no_grad()
def test_transformers_reads_what_was_written(teacher: MaskedLM, bert: Path, tmp_path: Path) -> None:
    """Teacher and student come back as BertForMaskedLM and DistilBertForMaskedLM with the same logits, tied again."""
    pupil = parts.student_of(teacher, None, from_teacher=True, dropout=0.0).eval()
    for name, model, kind in (("t", teacher, BertForMaskedLM), ("s", pupil, DistilBertForMaskedLM)):
        network.save(model, tmp_path / name, str(bert))
        again = AutoModelForMaskedLM.from_pretrained(tmp_path / name).eval()
        assert isinstance(again, kind)
        theirs = again(IDS, attention_mask=network.within(IDS, LENGTHS).long()).logits
        assert torch.allclose(_inside(theirs), model(IDS, LENGTHS, network.within(IDS, LENGTHS))[1], atol=1e-5)
        assert again.get_output_embeddings().weight is again.get_input_embeddings().weight
        ours = network.with_head(str(tmp_path / name), name)
        assert all(torch.equal(tensor, ours.state_dict()[key]) for key, tensor in model.state_dict().items())
        assert str(tmp_path) not in (tmp_path / name / "config.json").read_text()
        assert network.vocabulary(str(tmp_path / name), name, len(WORDS)).mask == 4


def test_a_student_teaches_a_smaller_one(teacher: MaskedLM, bert: Path, tmp_path: Path) -> None:
    """A DistilBERT is taken apart as a BERT is."""
    pupil = parts.student_of(teacher, [0, 1, 3], from_teacher=True)
    network.save(pupil, tmp_path / "s", str(bert))
    small = parts.student_of(network.with_head(str(tmp_path / "s"), "s"), [1], from_teacher=True)
    assert torch.equal(
        small.encoder.transformer.layer[0].ffn.lin1.weight, teacher.encoder.encoder.layer[1].intermediate.dense.weight
    )
    assert torch.equal(small.dense.weight, teacher.dense.weight)


@torch.no_grad()
def test_padding_changes_nothing(teacher: MaskedLM) -> None:
    """A block has the same hidden states alone and beside a longer one."""
    alone = teacher.hidden(IDS[1:, :4], LENGTHS[1:])
    together = teacher.hidden(IDS, LENGTHS)[1:, :4]
    assert torch.allclose(alone, together, atol=1e-5)


def test_a_frozen_encoder_drops_nothing_and_learns_nothing(tmp_path: Path) -> None:
    """Under a head that is fitted the encoder gives the same states in training as in use, without gradients."""
    model = network.without_head(str(tiny_bert(tmp_path, head=False)), "tiny")
    model.train()
    assert torch.equal(model.hidden(IDS, LENGTHS), model.hidden(IDS, LENGTHS))
    learned = {name for name, parameter in model.named_parameters() if parameter.requires_grad}
    assert learned == {"bias", "dense.weight", "dense.bias", "norm.weight", "norm.bias"}


def test_layers_that_the_teacher_lacks_are_told(teacher: MaskedLM) -> None:
    """The message says how many there are."""
    message = one_line(lambda: parts.student_of(teacher, [0, 4], from_teacher=True), RecipeError)
    assert message == "model.layers = [0, 4]: the teacher has 4 layers, 0 to 3."


def test_a_teacher_without_a_head_is_told(tmp_path: Path) -> None:
    """An encoder alone names no words; what fits a head is named."""
    source = tiny_bert(tmp_path, head=False)
    message = one_line(lambda: network.with_head(str(source), "bare"), ModelError)
    assert "bare: it has no head that names hidden words" in message
    assert "masked-lm:RECIPE" in message


def test_a_teacher_of_another_make_is_told(tmp_path: Path) -> None:
    """RoBERTa's positions do not fit a DistilBERT."""
    config = RobertaConfig(
        vocab_size=40, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8
    )
    RobertaForMaskedLM(config).save_pretrained(tmp_path)
    for read in (network.with_head, network.without_head):
        assert "a roberta cannot be taken apart; BERT and DistilBERT can" in one_line(
            lambda read=read: read(str(tmp_path), "other"), ModelError
        )


def test_weights_that_do_not_fit_their_configuration_are_told(bert: Path, tmp_path: Path) -> None:
    """A configuration whose width is not that of the weights, or not a multiple of the heads, is refused."""
    for width in (16, 13):
        folder = shutil.copytree(bert, tmp_path / str(width))
        config = (folder / "config.json").read_text().replace('"hidden_size": 12', f'"hidden_size": {width}')
        (folder / "config.json").write_text(config)
        message = one_line(lambda folder=folder: network.with_head(str(folder), "wrong"), ModelError)
        assert "wrong" in message


def test_a_pickle_is_never_read(bert: Path, tmp_path: Path) -> None:
    """A teacher whose weights are pickled is refused without opening them."""
    folder = shutil.copytree(bert, tmp_path / "pickled")

    (folder / "model.safetensors").unlink()
    torch.save(Trap(tmp_path / "executed"), folder / "pytorch_model.bin")
    for read in (network.with_head, network.without_head):
        assert "a pickle is never read" in one_line(lambda read=read: read(str(folder), str(folder)), ModelError)
    assert not (tmp_path / "executed").exists()


def test_a_tokenizer_that_hides_nothing_is_told(bert: Path, tmp_path: Path) -> None:
    """More tokens than the network has rows cannot be named; without [MASK] the unknown token hides words."""
    tokenizer = tiny_tokenizer()
    tokenizer.add_tokens(["extra"])
    tokenizer.save_pretrained(tmp_path / "more")
    message = one_line(lambda: network.vocabulary(str(tmp_path / "more"), "more", len(WORDS)), ModelError)
    assert f"its tokenizer has {len(WORDS) + 1} tokens, its network {len(WORDS)}" in message
    folder = shutil.copytree(bert, tmp_path / "less")
    config = (folder / "tokenizer_config.json").read_text().replace('"mask_token": "[MASK]"', '"mask_token": null')
    (folder / "tokenizer_config.json").write_text(config)
    known = network.vocabulary(str(folder), "less", len(WORDS))
    assert known.mask == tokenizer.unk_token_id
    (folder / "tokenizer_config.json").write_text(config.replace('"unk_token": "[UNK]"', '"unk_token": null'))
    message = one_line(lambda: network.vocabulary(str(folder), "less", len(WORDS)), ModelError)
    assert "names no [CLS], [SEP] or [MASK]" in message


def test_soft_labels_by_hand() -> None:
    """Two tokens, two words: T^2 times the mean over tokens of sum p log(p / q), with p the teacher's."""
    teacher = torch.tensor([[2.0, 0.0], [0.0, 0.0]])
    student = torch.tensor([[0.0, 0.0], [0.0, 0.0]])
    p = math.exp(1) / (math.exp(1) + 1)  # softened by 2: logits 1 and 0
    first = p * math.log(p / 0.5) + (1 - p) * math.log((1 - p) / 0.5)
    assert objective.soft_labels(student, teacher, 2.0).item() == pytest.approx(4 * first / 2, rel=1e-6)


def test_soft_labels_ask_for_the_teachers_distribution_not_the_other_way_round() -> None:
    """KL is not symmetric: a student that gives a word of the teacher nothing pays more than one that adds a word."""
    sure, unsure = torch.tensor([[4.0, 0.0]]), torch.tensor([[0.0, 0.0]])
    lacking, adding = objective.soft_labels(sure, unsure, 1.0), objective.soft_labels(unsure, sure, 1.0)
    assert lacking.item() == pytest.approx(0.5 * math.log(0.5 / _share(4)) + 0.5 * math.log(0.5 / _share(-4)), rel=1e-5)
    assert lacking > adding


def _share(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


def test_a_perfect_student_pays_nothing() -> None:
    """The same logits cost nothing at any temperature, and a constant added to all changes nothing."""
    logits = torch.randn(5, 7, generator=torch.Generator().manual_seed(0))
    for temperature in (0.5, 1.0, 2.0, 10.0):
        assert objective.soft_labels(logits + 3, logits, temperature).item() == pytest.approx(0, abs=1e-5)


def test_the_gradient_of_soft_labels_keeps_its_size() -> None:
    """T^2 makes up for the softening: the gradient does not shrink like 1 / T^2 when T grows."""
    generator = torch.Generator().manual_seed(1)
    teacher, student = torch.randn(4, 6, generator=generator), torch.randn(4, 6, generator=generator)
    sizes = []
    for temperature in (4.0, 40.0):
        leaf = student.clone().requires_grad_()
        objective.soft_labels(leaf, teacher, temperature).backward()
        sizes.append(leaf.grad.norm().item())
    assert sizes[1] == pytest.approx(sizes[0], rel=0.2)


def test_hidden_words_by_hand() -> None:
    """The mean of the negative log-probabilities of the two words that were there."""
    logits = torch.tensor([[0.0, math.log(3.0)], [math.log(9.0), 0.0]])
    result = objective.masked_tokens(logits, torch.tensor([1, 0]))
    assert result.item() == pytest.approx(-(math.log(0.75) + math.log(0.9)) / 2, rel=1e-6)


def test_directions_by_hand() -> None:
    """The same direction costs 0 at any length, a right angle 1, the opposite 2; the mean over tokens is taken."""
    student = torch.tensor([[3.0, 0.0], [0.0, 2.0], [1.0, 0.0]])
    teacher = torch.tensor([[9.0, 0.0], [5.0, 0.0], [-1.0, 0.0]])
    assert objective.directions(student, teacher).item() == pytest.approx((0 + 1 + 2) / 3, rel=1e-6)
    theirs = torch.nn.CosineEmbeddingLoss()(student, teacher, torch.ones(3))
    assert objective.directions(student, teacher).item() == pytest.approx(theirs.item(), rel=1e-6)


@pytest.mark.parametrize("name", ["soft_labels", "directions"])
def test_no_gradient_reaches_the_teacher(name: str) -> None:
    """The teacher is looked at, and never moved."""
    student, teacher = torch.randn(3, 4, requires_grad=True), torch.randn(3, 4, requires_grad=True)
    loss = (
        objective.soft_labels(student, teacher, 2.0)
        if name == "soft_labels"
        else objective.directions(student, teacher)
    )
    loss.backward()
    assert student.grad is not None
    assert teacher.grad is None
