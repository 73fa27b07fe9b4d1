"""The three parts of DistilBERT's loss (Sanh et al. 2019), each a mean over the tokens that it looks at."""

import torch
from torch.nn import functional


def soft_labels(student: torch.Tensor, teacher: torch.Tensor, temperature: float) -> torch.Tensor:
    """``T^2 * KL(teacher || student)``, both distributions softened by ``T``, as a mean over tokens.

    The factor keeps the gradient at the size of the other parts when ``T`` changes (Hinton et al. 2015).

    Args:
        student: Logits, shape (tokens, vocabulary).
        teacher: Logits, same shape; no gradient flows into them.
        temperature: ``T``, above 0.
    """
    return temperature**2 * functional.kl_div(
        functional.log_softmax(student / temperature, dim=-1),
        functional.log_softmax(teacher.detach() / temperature, dim=-1),
        reduction="batchmean",
        log_target=True,
    )


def hidden_words(logits: torch.Tensor, gold: torch.Tensor) -> torch.Tensor:
    """Cross-entropy with the tokens that were hidden, as a mean over them.

    Args:
        logits: Shape (hidden tokens, vocabulary).
        gold: Their ids, shape (hidden tokens,).
    """
    return functional.cross_entropy(logits, gold)


def directions(student: torch.Tensor, teacher: torch.Tensor) -> torch.Tensor:
    """``1 - cosine`` between the hidden states of both, as a mean over tokens: between 0 and 2.

    Args:
        student: Shape (tokens, width), of the tokens that are no padding.
        teacher: Same shape; no gradient flows into it.
    """
    return (1.0 - functional.cosine_similarity(student, teacher.detach(), dim=-1)).mean()
