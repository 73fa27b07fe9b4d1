"""Documents that reported rows cite, by title and address."""

import pytest

from db.bootstrap import reported
from db.registry.citations import Citation, resolve

CITED = sorted({citation for _, citation, _ in reported.load()})


@pytest.mark.parametrize("stored", CITED)
def test_every_reported_row_cites_a_title_and_no_file_name(stored: str) -> None:
    """A file name says nothing to a reader; it stays beside the title."""
    cited = resolve(stored)
    assert ".txt" not in cited.title + (cited.quoted_in or "")
    assert (cited.file is None) == (".txt" not in stored)
    assert cited.file is None or stored.startswith(cited.file)


def test_a_paper_that_is_quoted_in_slides_is_cited_with_both() -> None:
    cited = resolve("004_7d812c1ddacb6f6c.txt (DistilBERT paper, arXiv 1910.01108)")
    assert cited.title == "DistilBERT, a distilled version of BERT (Sanh et al. 2019)"
    assert cited.link == "https://arxiv.org/abs/1910.01108"
    assert cited.quoted_in is not None
    assert "DistilBERT Survey" in cited.quoted_in


@pytest.mark.parametrize(
    "stored", ["https://example.org/w", "999_0123456789abcdef.txt", "[x](javascript:alert(1))", "arXiv 12.3"]
)
def test_a_text_of_somebody_is_its_own_title_without_a_link(stored: str) -> None:
    """Only listed documents and arXiv papers become links."""
    assert resolve(stored) == Citation(stored)


def test_another_arxiv_paper_keeps_its_words_and_gets_a_link() -> None:
    assert resolve("Somebody 2020, arXiv:2001.00001") == Citation(
        "Somebody 2020, arXiv:2001.00001", "https://arxiv.org/abs/2001.00001"
    )
