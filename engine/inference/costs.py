"""What an answer costs, in the parts that somebody can do something about."""

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Cost:
    """Milliseconds of one answer.

    Attributes:
        waited_ms: Until its turn came: others asked too.
        tokenise_ms: From characters to token ids, windows of a long text included.
        model_ms: The network.
        decode_ms: From logits to an answer.
    """

    waited_ms: float
    tokenise_ms: float
    model_ms: float
    decode_ms: float

    @property
    def total_ms(self) -> float:
        """Of computing; waiting is not counted."""
        return self.tokenise_ms + self.model_ms + self.decode_ms

    def as_dict(self) -> dict[str, float]:
        """Rounded to microseconds, for JSON."""
        return {field.name: round(getattr(self, field.name), 3) for field in fields(self)}
