"""How many random examples a test makes: the same few in every run, many new ones in the thorough one."""

from typing import Any

from hypothesis import settings

THOROUGH = "thorough"
"""The profile of ``make test-slow``."""


def examples(few: int, many: int, **options: Any) -> settings:
    """Settings of one random test.

    Args:
        few: Examples in `make test`.
        many: Examples in `make test-slow`, which gives ``--hypothesis-profile thorough``.
        options: Further settings of hypothesis.
    """
    count = many if settings.get_current_profile_name() == THOROUGH else few
    return settings(max_examples=count, **{"deadline": None, "database": None, **options})
