"""Which models agree, in a sentence."""

from collections.abc import Sequence

from dashboard.playground.attribution import TRY_LABELS
from dashboard.ui.i18n import N_, _
from dashboard.ui.markdown import plain

PAIR_GOLD = N_("The corpus says {label}, as do {n} of {all} models.")


def told(voices: Sequence[tuple[str, str]], gold: str | None = None) -> str:
    """Which models say what, the most frequent label first, as Markdown.

    Args:
        voices: Name and label of each model.
        gold: The right label, where somebody knows it.
    """
    count = len(voices)
    labels = list(dict.fromkeys(label for _unused, label in voices))
    named = {label: [plain(name) for name, said in voices if said == label] for label in labels}
    if len(labels) == 1:
        sentence = _("The models agree: **{label}** ({n} of {n}).").format(label=_(TRY_LABELS[labels[0]]), n=count)
    else:
        parts = [
            _("**{label}** {n} of {all} ({names})").format(
                label=_(TRY_LABELS[label]), n=len(named[label]), all=count, names=", ".join(named[label])
            )
            for label in sorted(labels, key=lambda one: -len(named[one]))
        ]
        sentence = _("The models disagree: {voices}.").format(voices="; ".join(parts))
    if gold is None:
        return sentence
    right = len(named.get(gold, ()))
    return f"{sentence} {_(PAIR_GOLD).format(label=_(TRY_LABELS[gold]), n=right, all=count)}"
