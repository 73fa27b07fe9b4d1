"""Questions that a text answers itself: what is asked, where the answer is, and that a fine-tuning goes on."""

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from db.runs import detail
from db.storage.store import Store
from engine.base.errors import RecipeError
from engine.checkpoints import checkpoint
from engine.families.masked_lm import blocks
from engine.families.masked_lm.bert import TextBert
from engine.families.masked_lm.blocks import Example, Vocabulary
from engine.families.masked_lm.cloze_questions import QUESTION_TOKENS, ClozeQuestions
from engine.families.span_qa import model as span_model
from engine.recipes import loader
from engine.training import run
from engine.training.job import Job
from tests.factories.pretraining import (
    asking,
    content,
    documents,
    folder,
    reader,
    run_checkpoint,
    trained,
    vocabulary,
    weights,
)
from tests.factories.recipes import curves, write_recipe

__all__ = ["folder", "vocabulary"]

FIRST, LAST, STOP, OF, COMMON = 2, 3, 5, 6, 7


def _hand_made() -> ClozeQuestions:
    """Token 5 ends a sentence, 6 is a particle, 7 a frequent word; ordinary words begin at 10."""
    tokens = np.arange(60)
    return ClozeQuestions(tokens < 10, tokens < 7, tokens == STOP, LAST)


def _block(*words: list[int]) -> Example:
    inside = [token for word in words for token in word]
    starts = [position == 0 for word in words for position in range(len(word))]
    return Example(np.array([FIRST, *inside, LAST], dtype=np.int32), np.array([True, *starts, True]))


def test_a_question_keeps_words_of_its_sentence_alone() -> None:
    """In their order, without the answer; particles may go, and what ends the sentence always does."""
    example = _block([30], [31, STOP], [10, OF], [11], [12, OF], [13], [14], [15, STOP], [32], [33, STOP])
    answers, bare, with_particle = set(), 0, 0
    for seed in range(200):
        questions = _hand_made().hide(example, seed, 0, 0)
        seen = questions.example.ids.tolist()
        before = seen[: seen.index(LAST) + 1]
        assert (before[0], before[-1]) == (FIRST, LAST)
        assert seen[len(before) :] == example.ids.tolist()[1:], "the block stays as it is"
        if not len(questions.answers):
            continue  # so few of its words were kept that nothing is left of it
        assert questions.places.tolist() == [0]
        (first, last), *others = questions.answers.tolist()
        assert not others
        answer, question = seen[first : last + 1], before[1:-1]
        answers.add(tuple(answer))
        words = [token for token in question if token >= 10]
        assert words == sorted(set(words)), "in the order of the sentence, none twice"
        assert set(words) <= set(range(10, 16)) - set(answer), "another sentence is too short to be asked about"
        assert STOP not in question
        bare += 10 in question and OF not in question[question.index(10) + 1 : question.index(10) + 2]
        with_particle += 10 in question and OF in question[question.index(10) + 1 : question.index(10) + 2]
    assert {(10,), (15,), (12, OF, 13)} <= answers, "a particle within the answer stays, one behind it does not"
    assert all(len(answer) <= 5 for answer in answers)
    assert bare > 20
    assert with_particle > 20


def test_frequent_words_are_not_asked_for() -> None:
    """A block in which nothing can be asked for is read without a question."""
    questions = _hand_made().hide(_block([COMMON], [COMMON], [8], [9, OF], [COMMON, STOP], [10], [11, STOP]), 0, 0, 0)
    assert len(questions.places) == len(questions.answers) == 0
    assert questions.example.ids[:2].tolist() == [FIRST, LAST]


def test_every_answer_stands_in_the_block(vocabulary: Vocabulary) -> None:
    """Of real text: types tell question and text apart, and the same numbers ask the same."""
    made = blocks.cut(documents(40), vocabulary, 96, packed=True, words=True)
    asks = ClozeQuestions.of(made, vocabulary)
    number = 0
    for position in range(len(made.sequences)):
        example = made.example(position, 0, 0)
        questions, again = (asks.hide(example, 0, epoch, position) for epoch in (1, 1))
        assert np.array_equal(questions.example.ids, again.example.ids)
        ids, types = questions.example.ids, questions.example.types
        assert types is not None
        assert questions.example.starts is not None
        assert len(ids) == len(types) == len(questions.example.starts)
        assert len(ids) <= len(example.ids) + QUESTION_TOKENS + 1
        assert ids[types == 1].tolist() == example.ids[1:].tolist()
        for first, last in questions.answers:
            assert types[first] == types[last] == 1
            assert not asks.outside[ids[[first, last]]].any()
            number += 1
    assert number > 0.7 * len(made.sequences)


def _text(**more: object) -> dict[str, object]:
    return {"packed": True, "cloze_questions": True, "hidden_words": False, "block": 48, **more}


def test_pointing_is_learned_and_goes_on_with_questions(board: Store, folder: str, tmp_path: Path) -> None:
    """The loss falls, its accuracy has a curve and a figure, and a fine-tuning starts from encoder, head and types."""
    model = {"dropout": 0.0, "hidden_size": 32, "max_positions": 96, "attention": "matching"}
    own = content(text=_text(), model=model, train={"epochs": 25, "batch_size": 4, "lr": 0.01, "scheduler": "cosine"})
    run_id = trained(board, loader.validate(own, "reader"), folder)
    points = curves(board, run_id)
    loss = [value for series, _, value in points if series == "train_loss"]
    assert sum(loss[-5:]) < 0.7 * sum(loss[:5])
    assert "cloze_accuracy" in {series for series, *_ in points}
    figures = detail.run_detail(board, run_id).metrics.set_index("name")
    assert figures.loc["cloze_accuracy", "n"] > 0
    assert {"masked_accuracy", "validation_cloze_accuracy"} <= set(figures.index)
    types = weights(board, run_id)["bert.embeddings.token_type_embeddings.weight"]
    assert not torch.equal(types[0], types[1]), "the types of question and text were learned"

    own = content("larger", text=_text(), model={**model, "vocab_size": 1500})
    source = f"pretrained:{write_recipe(tmp_path / 'larger.toml', own)}"
    recipe = loader.load(write_recipe(tmp_path / "asks.toml", asking(source)), mini=True)
    begun_from = Path(str(run.prepare(Job(recipe, None, board)).source))
    theirs = load_file(begun_from / checkpoint.WEIGHTS)
    state = span_model.from_source(recipe.model, str(begun_from), recipe.qa).inner.state_dict()  # type: ignore[arg-type]
    assert any("qa_outputs" in name for name in state)
    assert all(torch.equal(tensor, theirs[name]) for name, tensor in state.items())
    assert run_checkpoint(board, trained(board, recipe, None)).is_dir()


def test_attention_starts_at_the_same_token_and_at_neighbours() -> None:
    """Before any training: half of the heads of both layers see the token's other occurrence, the rest what is near."""
    torch.manual_seed(0)
    recipe = reader(
        model={"hidden_size": 256, "num_heads": 4, "vocab_size": 100, "max_positions": 64, "layer_norm_eps": 1e-12}
    )
    ids = torch.randperm(90)[None, :40] + 5
    ids[0, 31] = ids[0, 4]
    bert = TextBert(recipe.model, pairs=False, cloze=True).eval()  # type: ignore[arg-type]
    bert.attend_by_products()

    def seen() -> list[tuple[torch.Tensor, torch.Tensor]]:
        with torch.inference_mode():
            layers = bert.encoder(input_ids=ids, output_attentions=True).attentions
        near = [torch.diagonal(layer[0], offset, 1, 2).mean(1) for layer in layers for offset in (-1, 1)]
        return [(layer[0, :, 31, 4], near[2 * i] + near[2 * i + 1]) for i, layer in enumerate(layers)]

    assert all((again < 0.05).all() and (near < 0.1).all() for again, near in seen())
    bert.start_by_matching()
    for again, near in seen():
        assert (again[:2] > 0.1).all()
        assert (near[2:] > 0.1).all()
        assert (again[2:] < 0.1).all()


@pytest.mark.parametrize(("width", "heads"), [(12, 2), (10, 1), (9, 3)])
def test_attention_starts_by_matching_at_every_width(width: int, heads: int) -> None:
    """Odd widths and odd numbers of heads too."""
    recipe = reader(model={"hidden_size": width, "num_heads": heads, "attention": "matching"})
    bert = TextBert(recipe.model, pairs=False, cloze=True)  # type: ignore[arg-type]
    bert.start_by_matching()
    attention = bert.encoder.encoder.layer[0].attention.self
    assert torch.equal(attention.query.weight, attention.key.weight)
    assert bert.encoder.embeddings.position_embeddings.weight.abs().max() > 0


def test_matching_needs_an_embedding_of_its_own() -> None:
    """Vectors from co-occurrences fill the dimensions of the positions."""
    with pytest.raises(RecipeError, match="keeps positions apart"):
        reader(model={"attention": "matching", "embedding": "cooccurrence"})


@pytest.mark.parametrize("other", ["recurring_spans", "next_sentence", "hidden_words"])
def test_cloze_questions_go_alone(board: Store, folder: str, other: str) -> None:
    """What the question would give away, or what needs its types, is refused."""
    with pytest.raises(RecipeError, match="cloze_questions goes alone"):
        trained(board, reader(text=_text(packed=False, **{other: True})), folder)


def test_question_and_block_must_fit(board: Store, folder: str) -> None:
    """Of the positions the question takes its part."""
    recipe = reader(text=_text(), model={"max_positions": 60})
    with pytest.raises(RecipeError, match="block = 48: reader reads at most 19 tokens behind a question"):
        trained(board, recipe, folder)
