"""Which models agree, in a sentence."""

from collections.abc import Sequence

from dashboard.ui import text
from dashboard.ui.markdown import plain


def told(voices: Sequence[tuple[str, str]], gold: str | None = None) -> str:
    """Which models say what, the most frequent label first, as Markdown.

    Args:
        voices: Name and label of each model.
        gold: The right label, where somebody knows it.
    """
    count = len(voices)
    labels = list(dict.fromkeys(label for _, label in voices))
    named = {label: [plain(name) for name, said in voices if said == label] for label in labels}
    if len(labels) == 1:
        sentence = text.PAIR_ALL.format(label=text.TRY_LABELS[labels[0]], n=count)
    else:
        parts = [
            text.PAIR_VOICE.format(
                label=text.TRY_LABELS[label], n=len(named[label]), all=count, names=", ".join(named[label])
            )
            for label in sorted(labels, key=lambda one: -len(named[one]))
        ]
        sentence = text.PAIR_SPLIT.format(voices="; ".join(parts))
    if gold is None:
        return sentence
    right = len(named.get(gold, ()))
    return f"{sentence} {text.PAIR_GOLD.format(label=text.TRY_LABELS[gold], n=right, all=count)}"
