"""The KoBiLSTM: embedding, one bidirectional LSTM, dropout, linear layer."""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence

from engine.data.tokenizer import PAD_ID


class BiLSTMClassifier(nn.Module):
    """Classify a token sequence by the last hidden states of both directions.

    The documents' five sizes have vocabulary 3,000 and (hidden, embedding) of (256, 128), (128, 64), (64, 32), (16, 16)
    and (16, 8), see 001_2c0027d85ad7badd.txt.
    """

    def __init__(
        self, vocab_size: int, embedding_dim: int, hidden_dim: int, *, num_labels: int = 2, dropout: float = 0.3
    ) -> None:
        """Build with random weights.

        Args:
            vocab_size: Rows of the embedding; row 0 is padding.
            embedding_dim: Width of the embedding.
            hidden_dim: Hidden units of each direction.
            num_labels: Classes.
            dropout: On the embedding and before the linear layer.
        """
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_dim, padding_idx=PAD_ID)
        self.lstm = nn.LSTM(embedding_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(dropout)
        self.classifier = nn.Linear(2 * hidden_dim, num_labels)

    def forward(self, ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Logits of a batch.

        Args:
            ids: Token ids, shape (batch, tokens), padded at the end.
            lengths: True lengths on the CPU, shape (batch,), each at least 1.

        Returns:
            Logits, shape (batch, num_labels).
        """
        embedded = self.dropout(self.embedding(ids))
        if int(lengths.min()) == ids.shape[1]:
            _, (hidden, _) = self.lstm(embedded)
        else:
            # The backward direction would start in the padding, so mixed lengths are packed.
            packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
            _, (hidden, _) = self.lstm(packed)
        both = torch.cat([hidden[0], hidden[1]], dim=-1)
        logits: torch.Tensor = self.classifier(self.dropout(both))
        return logits
