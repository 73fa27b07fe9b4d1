"""Reports that the tests keep: one of each kind."""

from db.runs.feedback import Case

CONTEXT = "The box is red. The cup is blue, and the dog is red."
QA = Case(
    kind="qa",
    model="minilm-squad",
    run_id="run-00000001",
    checkpoint="a" * 64,
    context=CONTEXT,
    question="Which colour has the dog?",
    answer="blue",
    answer_start=27,
    probability=0.75,
    right_answer="red",
    right_start=48,
)
REVIEW = Case(kind="sentiment", model="kobilstm", answer="positive", text="최고로 지루함 🙃", right_answer="negative")
HEADLINE = Case(kind="text", model="topics", answer="world", text="국회 예산안 처리", right_answer="politics")
PAIR = Case(
    kind="nli",
    model="bilstm",
    answer="neutral",
    premise="A man sleeps.",
    hypothesis="Nobody sleeps.",
    right_answer="contradiction",
)
