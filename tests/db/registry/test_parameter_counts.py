"""Parameter counts by arithmetic."""

import pytest

from db.registry.parameter_counts import bert, bilstm, count

BERT = {"vocab_size": 30522, "hidden_size": 768, "intermediate_size": 3072, "max_positions": 512}
SMALL = {"vocab_size": 32007, "hidden_size": 256, "intermediate_size": 1024, "max_positions": 384, "token_types": 2}


@pytest.mark.parametrize(
    ("embedding", "hidden", "expected"),
    [
        (128, 256, 1_175_554),
        (64, 128, 391_170),
        (32, 64, 146_434),
        (16, 16, 52_418),
        (8, 32, 34_882),
        (8, 16, 27_394),
        (8, 26, 31_594),
    ],
)
def test_bilstm(embedding: int, hidden: int, expected: int) -> None:
    """The counts that the documents print for embedding and hidden size at a vocabulary of 3,000, with two labels."""
    assert bilstm({"vocab_size": 3000, "embedding_dim": embedding, "hidden_dim": hidden}) == expected


def test_bilstm_with_three_labels_has_one_more_row() -> None:
    """Each label costs two hidden vectors and a bias."""
    config = {"vocab_size": 10, "embedding_dim": 4, "hidden_dim": 8}
    assert bilstm({**config, "num_labels": 3}) - bilstm(config) == 2 * 8 + 1


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({**SMALL, "num_layers": 3, "outputs": 2}, 10_662_914),
        ({**SMALL, "num_layers": 6, "outputs": 2}, 13_032_194),
        ({**BERT, "num_layers": 12, "token_types": 2, "pooler": 1}, 109_482_240),
        ({**BERT, "num_layers": 6}, 66_362_880),
        ({**BERT, "num_layers": 6, "pre_classifier": 1, "outputs": 3}, 66_955_779),
        ({**BERT, "num_layers": 6, "outputs": 2}, 66_364_418),
        ({**BERT, "vocab_size": 8002, "num_layers": 12, "token_types": 2, "pooler": 1}, 92_186_880),
    ],
    ids=[
        "KorQuAD, 3 layers",
        "KorQuAD, 6 layers",
        "BERT-base",
        "DistilBERT",
        "for three classes",
        "for questions",
        "KoBERT",
    ],
)
def test_bert(config: dict[str, int], expected: int) -> None:
    """The counts that the documents print, and those of the published checkpoints."""
    assert bert(config) == expected


def test_number_of_heads_changes_nothing() -> None:
    """Heads share the width between them: 4 of 64 are as many parameters as 8 of 32."""
    assert bert({**SMALL, "num_layers": 6, "num_heads": 4}) == bert({**SMALL, "num_layers": 6, "num_heads": 8})


def test_unknown_architecture_is_not_guessed() -> None:
    """What cannot be computed is None, never 0."""
    assert count("elmo", {"hidden_size": 1024}) is None
    assert count("bilstm", {}) is None
    assert count("bilstm", {"vocab_size": 3000, "embedding_dim": 8, "hidden_dim": 16}) == 27_394
