"""Sentiment and inference: verdicts, what they hang on, which models agree, in English."""

PAIR_FIELDS = {"sentiment": ("Review",), "nli": ("Premise", "Hypothesis")}
PAIR_MISSING = {
    "sentiment": "Write a review, or take an example.",
    "nli": "Write a premise and a hypothesis, or take an example.",
}
PAIR_SHARES = "Probability of each label"
PAIR_CUT = "The text is longer than this model reads. It saw the beginning only."
PAIR_WEIGH = "Show what the verdict hangs on ({n} parts)"
PAIR_WEIGHING = "Leaving out one part after another"
PAIR_MOST = "What matters most: probability of {label}"
PAIR_WITHOUT = "without “{part}”"
PAIR_MOVES = "{label} {change}"
PAIR_TURNS = "{label} {change}, turns to {other}"
PAIR_NOTHING = "No single part moves the probability by as much as one point."
PAIR_SAMPLE = "word"
PAIR_LEGEND = {
    "for": "speaks for the verdict: without it, the probability falls",
    "against": "speaks against it: without it, the probability rises",
    "turns": "turns the verdict: without it, the model says something else",
}
PAIR_HOW = (
    "Each part is left out once and the model reads the rest. The deeper the colour, the more the probability moves; "
    "parts that move it by less than one point are not marked."
)
PAIR_ALL = "The models agree: **{label}** ({n} of {n})."
PAIR_SPLIT = "The models disagree: {voices}."
PAIR_VOICE = "**{label}** {n} of {all} ({names})"
PAIR_GOLD = "The corpus says {label}, as do {n} of {all} models."
