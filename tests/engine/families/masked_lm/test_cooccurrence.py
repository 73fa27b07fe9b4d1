"""An embedding from co-occurrences: what is counted, what the vectors say, where a network starts from them."""

from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.sparse import csr_matrix
from transformers import BertConfig, BertModel

from engine.base.errors import CheckpointError
from engine.families.masked_lm import network, parts
from engine.families.masked_lm.blocks import Vocabulary
from engine.families.masked_lm.corpus import Document
from engine.families.masked_lm.network import MaskedLM
from engine.networks import cooccurrence
from tests.factories.masked_lm import WORDS, tiny_bert

A, B, C, D = 5, 6, 7, 8


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    """The tiny BERT's."""
    return network.vocabulary(str(tiny_bert(tmp_path_factory.mktemp("bert"))), "tiny", len(WORDS))


def _text(*ids: int) -> np.ndarray:
    return np.array(ids, dtype=np.int32)


def test_near_tokens_count_more_and_no_window_reaches_over_two_texts(vocabulary: Vocabulary) -> None:
    """By hand: neighbours count 1, the next but one 0.8; special tokens hold a place and count nothing."""
    counts, frequencies = cooccurrence.count(
        [_text(A, B, C), _text(D, vocabulary.mask, A)], vocabulary.size, vocabulary.special
    )
    dense = counts.toarray()
    pairs = {(A, B): 1.0, (B, C): 1.0, (A, C): 0.8, (A, D): 0.8}
    expected = np.zeros_like(dense)
    for (left, right), weight in pairs.items():
        expected[left, right] = expected[right, left] = weight
    np.testing.assert_allclose(dense, expected)
    assert {token: int(n) for token, n in enumerate(frequencies) if n} == {A: 2, B: 1, C: 1, D: 1}


def test_counts_do_not_depend_on_how_many_tokens_are_taken_at_once(
    vocabulary: Vocabulary, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A text is never cut between two parts of the work."""
    texts = [np.random.default_rng(i).integers(5, len(WORDS), 40).astype(np.int32) for i in range(20)]
    whole, frequencies = cooccurrence.count(texts, vocabulary.size, vocabulary.special)
    monkeypatch.setattr(cooccurrence, "_TOKENS_AT_ONCE", 100)
    parted, again = cooccurrence.count(texts, vocabulary.size, vocabulary.special)
    np.testing.assert_allclose(whole.toarray(), parted.toarray(), rtol=1e-6)
    assert (frequencies == again).all()


def test_tokens_of_the_same_company_have_near_vectors() -> None:
    """Two groups that never meet; a token without neighbours stays at nought, and a narrow vocabulary is padded."""
    together = np.zeros((9, 9), dtype=np.float32)
    together[:4, :4] = together[4:8, 4:8] = 5
    np.fill_diagonal(together, 0)
    made = cooccurrence.vectors(csr_matrix(together), 12)
    assert made.shape == (9, 12)
    assert not made[8].any()
    directions = made[:8] / np.linalg.norm(made[:8], axis=1, keepdims=True)
    nearness = directions @ directions.T
    inside = np.kron(np.eye(2), np.ones((4, 4))).astype(bool)
    assert nearness[inside].min() > nearness[~inside].max() + 0.3
    np.testing.assert_array_equal(made, cooccurrence.vectors(csr_matrix(together), 12))


def test_a_network_starts_from_what_was_counted(vocabulary: Vocabulary, tmp_path: Path) -> None:
    """Its embedding has the scale, the bias the frequencies; a second start reads the cache and no text."""
    texts = ("the cat sits on the old red house", "a dog runs near the river and a tree", "the cat runs near the house")

    def started(documents: list[Document]) -> tuple[MaskedLM, int]:
        torch.manual_seed(0)
        shape = BertConfig(vocab_size=len(WORDS), hidden_size=8, num_hidden_layers=1, num_attention_heads=2)
        model = MaskedLM(BertModel(shape, add_pooling_layer=False))
        return model, parts.embed_by_cooccurrence(model, documents, vocabulary, tmp_path, ["text", 0])

    model, counted = started([Document("a", texts)])
    assert counted == sum(len(text.split()) for text in texts)
    weight = model.encoder.get_input_embeddings().weight.detach()
    assert weight.square().mean().sqrt().item() == pytest.approx(parts.SCALE, rel=0.2)
    frequent, once = (WORDS.index(word) for word in ("the", "tree"))
    assert (model.bias[frequent] - model.bias[once]).item() == pytest.approx(np.log(6 / 2), rel=1e-5)
    assert (weight[sorted(vocabulary.special)] != 0).any(dim=1).sum() >= len(vocabulary.special) - 1  # [PAD] is nought
    again, counted_again = started([])
    assert counted_again == counted
    assert torch.equal(again.encoder.get_input_embeddings().weight, weight)
    (file,) = tmp_path.rglob("*.safetensors")
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(CheckpointError, match=r"cannot be read .* Delete it; it is computed again"):
        started([])
