"""Titles and addresses of the documents that reported rows cite; a row itself stores a file name or a short name."""

import re
from dataclasses import dataclass, replace

_SLIDES = "DistilBERT Survey, slides"
_DISTILKOBILSTM = "https://github.com/gyunggyung/DistilKoBiLSTM"

# Files without a link are kept as text alone; where they were published is not known.
_FILES = {
    "000_06aba4b165819136.txt": ("DistilKoBiLSTM, Hyperparameter_Acc.md: tables by teacher", _DISTILKOBILSTM),
    "001_2c0027d85ad7badd.txt": ("DistilKoBiLSTM, Hyperparameter_Acc.md: table with file names", _DISTILKOBILSTM),
    "002_f123daafd2f5ddb9.txt": ("학습 결과 정리: a small BERT on KorQuAD, with and without pretraining", None),
    "003_744b4f6404c03d3c.txt": ("MNLI with DistilBERT and a Transformer from scratch, questions and answers", None),
    "004_7d812c1ddacb6f6c.txt": (_SLIDES, None),
}
_PAPERS = {
    "1910.01108": "DistilBERT, a distilled version of BERT (Sanh et al. 2019)",
    "1903.12136": "Distilling Task-Specific Knowledge from BERT into Simple Neural Networks (Tang et al. 2019)",
}
_PAGES = {"KoELECTRA README": "https://github.com/monologg/KoELECTRA"}

_FILE = re.compile(r"(\d{3}_[0-9a-f]{16}\.txt)(?: \((.+)\))?")
_ARXIV = re.compile(r"\barXiv:? ?(\d{4}\.\d{4,5})")


@dataclass(frozen=True)
class Citation:
    """A cited document.

    Attributes:
        title: Of the document that made the figure.
        link: Where it is published; None where that is not known.
        quoted_in: Title of the document that the row was copied from, where that is another one.
        file: Name of the file that the row was copied from.
    """

    title: str
    link: str | None = None
    quoted_in: str | None = None
    file: str | None = None


def resolve(stored: str) -> Citation:
    """Return title and link of what a run cites.

    Only documents that are listed here and arXiv papers get a link: other texts may come from anybody.
    """
    match = _FILE.fullmatch(stored)
    if match and match[1] in _FILES:
        title, link = _FILES[match[1]]
        if match[2]:
            return replace(resolve(match[2]), quoted_in=title, file=match[1])
        return Citation(title, link, file=match[1])
    paper = _ARXIV.search(stored)
    if paper:
        return Citation(_PAPERS.get(paper[1], stored), f"https://arxiv.org/abs/{paper[1]}")
    return Citation(stored, _PAGES.get(stored))
