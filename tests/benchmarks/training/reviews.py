"""Random token sequences as long as film reviews, for timings of training steps."""

import numpy as np

EXAMPLES = 100_000
"""As many as it takes for whole batches of one length."""

LONGEST = 100


def reviews(seed: int = 0) -> list[np.ndarray]:
    """Sequences of about 21 tokens on average, a few up to 100."""
    generator = np.random.default_rng(seed)
    lengths = np.clip(generator.lognormal(2.8, 0.75, EXAMPLES).astype(int), 1, LONGEST)
    return [generator.integers(3, 3000, length).astype(np.int32) for length in lengths]
