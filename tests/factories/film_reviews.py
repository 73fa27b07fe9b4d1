"""Generate the mini corpus ``films_ko``: Korean film reviews from templates that were written for this project.

    python -m tests.factories.film_reviews    # writes db/registry/corpora/films_ko again, byte for byte

A review says one or two things about a film, each a subject with a predicate in one of its inflected forms. The labels
follow from the predicates: of two clauses that disagree, the last decides. The splits differ so that a teacher has
something to pass on: more than half of the predicates and a third of the phrases around them occur in unlabelled
reviews and in the test split alone.
"""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass

from db.registry import tasks

TRAIN, TEST, UNLABELLED = 500, 1000, 4000
FOLDER = "films_ko"


@dataclass(frozen=True)
class Word:
    """A predicate: forms that go on (and, but) and forms that end, and whether it praises."""

    positive: bool
    and_: str
    but: str
    endings: tuple[str, ...]


def _regular(stem: str, contrast: str, past: str, polite: str, formal: str) -> tuple[str, str, tuple[str, ...]]:
    """Forms of an adjective: 지루하, 지루한데, 지루했, 지루해요, 지루합니다."""
    endings = (f"{stem}다", f"{past}다", polite, formal, f"{past}어요", f"{past}음", f"{stem}네요", f"{past}습니다")
    return f"{stem}고", contrast, endings


def _hada(root: str) -> tuple[str, str, tuple[str, ...]]:
    return _regular(f"{root}하", f"{root}한데", f"{root}했", f"{root}해요", f"{root}합니다")


def _seureopda(root: str) -> tuple[str, str, tuple[str, ...]]:
    return _regular(f"{root}스럽", f"{root}스러운데", f"{root}스러웠", f"{root}스러워요", f"{root}스럽습니다")


def _ida(noun: str) -> tuple[str, str, tuple[str, ...]]:
    """Forms of a noun with the copula; it ends in a consonant."""
    endings = (
        f"{noun}이다",
        f"{noun}이었다",
        f"{noun}이에요",
        f"{noun}입니다",
        f"{noun}이었어요",
        f"{noun}임",
        f"{noun}이네요",
    )
    return f"{noun}이고", f"{noun}인데", endings


def _negated(root: str) -> tuple[str, str, tuple[str, ...]]:
    return _regular(
        f"{root}하지 않", f"{root}하지 않은데", f"{root}하지 않았", f"{root}하지 않아요", f"{root}하지 않습니다"
    )


LABELLED = {
    True: [
        _hada("훌륭"),
        _hada("탄탄"),
        _hada("신선"),
        _hada("완벽"),
        _seureopda("자연"),
        _ida("인상적"),
        _ida("감동적"),
        _regular("좋", "좋은데", "좋았", "좋아요", "좋습니다"),
        _negated("지루"),
    ],
    False: [
        _hada("지루"),
        _hada("허술"),
        _hada("어색"),
        _hada("산만"),
        _seureopda("실망"),
        _ida("엉망"),
        _ida("최악"),
        _regular("아쉽", "아쉬운데", "아쉬웠", "아쉬워요", "아쉽습니다"),
        _negated("신선"),
    ],
}
"""Predicates of every split."""

UNLABELLED_ONLY = {
    True: [
        _hada("섬세"),
        _hada("깔끔"),
        _hada("정교"),
        _hada("풍성"),
        _seureopda("사랑"),
        _ida("매력적"),
        _ida("환상적"),
        _ida("압도적"),
        _regular("아름답", "아름다운데", "아름다웠", "아름다워요", "아름답습니다"),
        _regular("뛰어나", "뛰어난데", "뛰어났", "뛰어나요", "뛰어납니다"),
        _negated("진부"),
    ],
    False: [
        _hada("진부"),
        _hada("엉성"),
        _hada("답답"),
        _hada("유치"),
        _hada("뻔"),
        _hada("밋밋"),
        _seureopda("억지"),
        _seureopda("촌"),
        _ida("엉터리 수준"),
        _regular("느슨하", "느슨한데", "느슨했", "느슨해요", "느슨합니다"),
        _negated("섬세"),
    ],
}
"""Predicates of unlabelled reviews and of the test split."""

SUBJECTS = ("연기가", "이야기가", "영상이", "음악이", "대사가", "전개가", "결말이", "편집이", "분위기가", "인물이")
SUBJECTS += ("연출이", "배경이", "초반이", "후반이", "장면이", "주인공이")

OPENINGS = (
    "",
    "",
    "",
    "친구랑 봤는데 ",
    "주말에 봤다. ",
    "예고편만 보고 갔는데 ",
    "오랜만에 극장에서 봤는데 ",
    "솔직히 ",
)
OPENINGS += ("늦게 봤지만 ", "아이와 함께 봤어요. ", "원작을 읽고 봤는데 ", "평점 보고 골랐는데 ")
RARE_OPENINGS = (
    "",
    "",
    "개봉 첫날 봤는데 ",
    "혼자 조용히 봤다. ",
    "부모님 모시고 봤는데 ",
    "비 오는 날 봤더니 ",
    "기내에서 봤는데 ",
)

VERDICTS = {
    True: ("추천합니다", "또 보고 싶다", "시간 가는 줄 몰랐다", "돈이 아깝지 않다", "오래 기억에 남을 듯", "강추"),
    False: ("비추천합니다", "두 번은 못 보겠다", "하품만 나왔다", "돈이 아깝다", "시간 낭비였다", "비추"),
}
RARE_VERDICTS = {
    True: ("주변에도 권하고 싶어요", "극장에서 보길 잘했다", "별 다섯 개", "다음 편이 기다려진다"),
    False: ("중간에 나오고 싶었다", "기다린 보람이 없다", "별 하나도 많다", "다음 편은 안 볼 듯"),
}


def words(table: dict[bool, list[tuple[str, str, tuple[str, ...]]]]) -> list[Word]:
    """The predicates of a table."""
    return [Word(positive, *forms) for positive, entries in table.items() for forms in entries]


@dataclass(frozen=True)
class Split:
    """What a split is made of."""

    words: list[Word]
    openings: tuple[str, ...]
    verdicts: dict[bool, tuple[str, ...]]


def review(split: Split, positive: bool, rng: random.Random) -> str:
    """One review of a polarity."""

    def word(praise: bool) -> Word:
        return rng.choice([entry for entry in split.words if entry.positive == praise])

    subjects = rng.sample(SUBJECTS, 2)
    last = word(positive)
    kind = rng.random()
    text = f"{subjects[1]} {rng.choice(last.endings)}"
    if kind < 0.6:
        text = f"{subjects[0]} {word(positive).and_} {text}"
    elif kind < 0.7:
        text = f"{subjects[0]} {word(not positive).but} {text}"
    if rng.random() < 0.3:
        text = f"{text}. {rng.choice(split.verdicts[positive])}"
    return rng.choice(split.openings) + text + rng.choice(("", ".", "!", "..", " ㅎㅎ" if positive else " ㅠㅠ"))


def reviews(split: Split, count: int, rng: random.Random, seen: set[str]) -> Iterator[tuple[str, int]]:
    """Different reviews with their labels, half of them positive."""
    made = 0
    while made < count:
        positive = made % 2 == 1
        text = review(split, positive, rng)
        if text not in seen:
            seen.add(text)
            made += 1
            yield text, int(positive)


def corpus() -> dict[str, list[dict[str, object]]]:
    """The rows of every file."""
    rng = random.Random(0)  # noqa: S311 - examples, no secrets
    seen: set[str] = set()
    known = words(LABELLED)
    everywhere = Split(
        known + words(UNLABELLED_ONLY),
        OPENINGS + RARE_OPENINGS,
        {label: VERDICTS[label] + RARE_VERDICTS[label] for label in VERDICTS},
    )
    splits = {
        "test": (everywhere, TEST),
        "train": (Split(known, OPENINGS, VERDICTS), TRAIN),
        "unlabelled": (everywhere, UNLABELLED),
    }
    files: dict[str, list[dict[str, object]]] = {}
    for name, (split, count) in splits.items():
        rows: list[dict[str, object]] = [
            {"id": f"fk-{name}-{number:04}", "document": text} | ({} if name == "unlabelled" else {"label": label})
            for number, (text, label) in enumerate(reviews(split, count, rng, seen), start=1)
        ]
        rng.shuffle(rows)
        files[name] = rows
    return files


def main() -> None:
    """Write the corpus."""
    folder = tasks.corpus_folder(FOLDER)
    folder.mkdir(exist_ok=True)
    for name, rows in corpus().items():
        lines = [json.dumps(row, ensure_ascii=False) for row in rows]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
