"""Colours of families."""

from itertools import groupby

from dashboard.ui.theme import FRAME, GREY, OKABE_ITO, family_colours
from db.leaderboard import models
from db.storage.store import Store


def test_families_of_a_board_differ_and_the_ninth_is_grey():
    """Eight families of one board have a colour of their own; families of different boards may share one."""
    colours = family_colours([*(("nsmc", f"family {letter}") for letter in "abcdefghi"), ("mnli", "elsewhere")])
    assert list(colours.values())[:8] == list(OKABE_ITO)
    assert colours["family i"] == GREY
    assert colours["elsewhere"] in OKABE_ITO


def test_a_family_has_one_colour_on_every_board_and_known_ones_keep_theirs():
    """Another family that comes later changes none; it differs from all with which it shares a board."""
    boards = [("squad", "MiniLM"), ("squad", "BERT"), ("mnli", "MiniLM"), ("mnli", "BiLSTM"), ("nsmc", "KoBiLSTM")]
    before = family_colours(boards)
    assert before["MiniLM"] not in {before["BERT"], before["BiLSTM"]}
    after = family_colours([*boards, ("mnli", "new"), ("squad", "DistilBERT")])
    assert {family: after[family] for family in before} == before
    assert after["new"] not in {after["MiniLM"], after["BiLSTM"]}
    assert before["KoBiLSTM"] == OKABE_ITO[0]


def test_families_of_the_boards_that_come_along_differ_and_none_looks_like_the_rest(shipped: Store):
    """The best model of the board was grey once, beside two families in colour."""
    boards = sorted(models.families(shipped))
    colours = family_colours(models.families(shipped))
    for board, rows in groupby(boards, key=lambda row: row[0]):
        families = [family for _, family in rows]
        used = {colours[family] for family in families}
        assert len(used) == len(families), board
        assert GREY not in used
        assert OKABE_ITO[-1] not in used or len(families) == 1, board


def test_a_disabled_button_keeps_a_colour_that_is_seen_on_it():
    """The text for the accent would be white on cream, and ink on ink in the dark theme."""
    rules = [rule for rule in FRAME.splitlines() if "stBaseButton-primary" in rule]
    assert rules
    assert all(":not(:disabled)" in rule for rule in rules)
