"""A convolutional text classifier."""

from collections.abc import Sequence

import torch
from torch import nn

from engine.data.tokenizer import PAD_ID


class CNNClassifier(nn.Module):
    """Convolutions of several widths over embeddings, each with its maximum over time (Kim 2014, arXiv 1408.5882)."""

    def __init__(
        self,
        vocab_size: int,
        embedding_dim: int,
        filters: int,
        *,
        widths: Sequence[int] = (1, 2, 3, 4),
        num_labels: int = 2,
        dropout: float = 0.3,
    ) -> None:
        """Build with random weights.

        Args:
            vocab_size: Rows of the embedding; row 0 is padding.
            embedding_dim: Width of the embedding.
            filters: Filters of each width.
            widths: Tokens that a filter sees.
            num_labels: Classes.
            dropout: On the embedding and before the linear layer.
        """
        super().__init__()
        self.widths = tuple(widths)
        self.embedding = nn.Embedding(vocab_size, embedding_dim, padding_idx=PAD_ID)
        # Padded on both sides, so that a text shorter than the filter is not skipped.
        self.convolutions = nn.ModuleList(
            nn.Conv1d(embedding_dim, filters, width, padding=width - 1) for width in widths
        )
        self.dropout = nn.Dropout(dropout)
        self.classifier = nn.Linear(filters * len(widths), num_labels)

    def forward(self, ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Logits of a batch, shape (batch, num_labels); see ``BiLSTMClassifier.forward``."""
        embedded = self.dropout(self.embedding(ids)).transpose(1, 2)
        pooled = []
        for width, convolution in zip(self.widths, self.convolutions, strict=True):
            features = torch.relu(convolution(embedded))
            # A filter's last window ends `width - 1` tokens after the text; later windows see only padding.
            ends = (lengths + width - 1).to(ids.device)
            padding = torch.arange(features.shape[-1], device=ids.device) >= ends.unsqueeze(1)
            pooled.append(features.masked_fill(padding.unsqueeze(1), 0.0).amax(dim=-1))
        logits: torch.Tensor = self.classifier(self.dropout(torch.cat(pooled, dim=-1)))
        return logits
