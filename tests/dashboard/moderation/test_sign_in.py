"""Who is a moderator: nothing is shown without the token or a login that the secrets name."""

import json
import time

import pytest

from dashboard.moderation import sign_in, token
from dashboard.moderation.client import ModerationClient
from db import submissions
from db.base.errors import ModerationError
from db.storage.store import Store
from tests.dashboard.moderation.conftest import all_text, enter, submit
from tests.dashboard.page_driver import open_page
from tests.dashboard.translation import worded
from tests.factories.drafts import TOKEN


@pytest.mark.parametrize("query", [{}, {"show": "all"}, {"open": ""}])
def test_without_the_token_nothing_is_shown(board: Store, monkeypatch, query: dict[str, str]) -> None:
    """Neither the list nor a link to a submission gives away a name; the token is in no address."""
    submission_id = submit(board, model="A secret model", contact="me@example.org").submissions[0]
    query = {name: value or submission_id for name, value in query.items()}
    app = open_page("moderation", board, monkeypatch, **query)
    assert app.text_input(key="moderator field").proto.type == app.text_input(key="moderator field").proto.PASSWORD
    for hidden in ("A secret model", "me@example.org", "Decide"):
        assert hidden not in all_text(app)
    app = enter(board, monkeypatch, **query)
    assert "A secret model" in all_text(app)
    assert TOKEN not in json.dumps(dict(app.query_params.items()))
    assert app.session_state["moderator token"] == TOKEN


def test_a_wrong_token_is_told_and_the_next_answer_takes_longer(board: Store, monkeypatch) -> None:
    """The first wrong one is answered at once; each further one waits longer, up to some seconds."""
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    app = open_page("moderation", board, monkeypatch)
    for wrong in ("", TOKEN[:-1], TOKEN.upper()):
        app.text_input(key="moderator field").input(wrong)
        app.button(key="moderator enter").click().run()
        assert [element.value for element in app.error] == ["This is not the moderator's token."]
        assert "moderator token" not in app.session_state
    assert [seconds for seconds in waited if seconds in {0.5, 1.0, 2.0}] == [0.5, 1.0]
    assert [sign_in.wait_s(wrong) for wrong in (0, 1, 2, 5, 50)] == [0.0, 0.5, 1.0, 8.0, 8.0]


def test_a_token_that_is_changed_lets_nobody_stay(board: Store, monkeypatch) -> None:
    """Every look asks again."""
    submit(board, model="A secret model")
    app = enter(board, monkeypatch)
    monkeypatch.setenv(token.VARIABLE, "another-token-of-the-moderator")
    app.run()
    assert "A secret model" not in all_text(app)
    assert "The token has been changed since you came in." in all_text(app)
    with pytest.raises(ModerationError):
        ModerationClient(TOKEN).read(submissions.counts)


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_without_a_configured_token_the_page_says_how_to_set_one(board: Store, monkeypatch, lang: str) -> None:
    monkeypatch.delenv(token.VARIABLE)
    app = open_page("moderation", board, monkeypatch, lang=lang)
    assert worded(lang, "This installation has no moderator yet.") in [element.value for element in app.subheader]
    assert any(token.VARIABLE in element.value for element in app.code)
    assert not app.text_input
    monkeypatch.setenv(token.VARIABLE, "short")
    app.run()
    assert [element.value for element in app.error] == [
        worded(
            lang, "The token of this installation is shorter than {least} characters; nothing can be decided with it."
        ).format(least=16)
    ]


def test_whoever_logs_in_as_a_moderator_needs_no_token(board: Store, monkeypatch) -> None:
    """The provider must confirm the address, and the secrets must name it."""
    submit(board, model="A secret model")
    who = {"is_logged_in": True, "email": "Me@Example.org", "email_verified": True}
    me = ["me@example.org"]
    strangers = (
        (who, []),
        (who, None),
        (who, ["you@example.org"]),
        ({}, me),
        (who, "me@example.org"),
        (who | {"email_verified": None}, me),
        (who | {"is_logged_in": False}, me),
        (who | {"email": ""}, [""]),
    )
    for claims, allowed in strangers:
        assert not token.is_moderator(claims, allowed)
    monkeypatch.setattr(token, "user", lambda: who)
    secrets = {"moderators": ["you@example.org"], "auth": {"client_id": "x"}}
    monkeypatch.setattr(token, "secret", secrets.get)
    app = open_page("moderation", board, monkeypatch)
    assert "A secret model" not in all_text(app)
    assert "Me@Example.org is not a moderator here" in all_text(app)
    secrets["moderators"] = me
    assert "A secret model" in all_text(app.run())
    monkeypatch.delenv(token.VARIABLE)
    assert "A secret model" in all_text(app.run())
    secrets["moderators"] = []
    app.run()
    assert "A secret model" not in all_text(app)
    assert "Me@Example.org is not a moderator here" in all_text(app)
    with pytest.raises(ModerationError, match="not logged in as a moderator"):
        ModerationClient(None).read(submissions.counts)
    monkeypatch.setattr(token, "user", dict)
    assert [button.label for button in app.run().button if button.key == "moderator login None"] == ["Log in"]
    assert sign_in.providers({"client_id": "x"}) == [None]
    assert sign_in.providers({"cookie_secret": "s", "google": {"client_id": "x"}}) == ["google"]


def test_the_token_of_streamlits_secrets_counts_where_the_environment_has_none(monkeypatch, tmp_path) -> None:
    """Without Streamlit's secrets their files are read; one that is not TOML is reported and lets nobody in."""
    secrets = {token.VARIABLE: " a-token-of-the-secrets "}
    file = tmp_path / "secrets.toml"
    monkeypatch.setattr(token, "secret", secrets.get)
    monkeypatch.setattr(token, "_FILES", (str(tmp_path / "none.toml"), str(file)))
    assert token.expected() == TOKEN
    monkeypatch.delenv(token.VARIABLE)
    assert token.expected() == "a-token-of-the-secrets"
    secrets.clear()
    assert token.expected() is None
    file.write_text(f'{token.VARIABLE} = "another-token-of-a-file"\n', "utf-8")
    token.require("another-token-of-a-file")
    file.write_text(f"{token.VARIABLE} = 'open", "utf-8")
    with pytest.raises(ModerationError, match="cannot be read"):
        token.require(TOKEN)


def test_only_a_moderator_reads_and_decides(board: Store, monkeypatch) -> None:
    """Every use checks the token, also where the answer is cached; without a configured one nobody is a moderator."""
    monkeypatch.setenv("FEATHERBOARD_DB", str(board.path))
    uses = (
        lambda moderator: moderator.store,
        lambda moderator: moderator.read(submissions.counts),
        lambda moderator: moderator.waiting(),
    )
    public = {name for name in vars(ModerationClient) if not name.startswith("_")}
    assert public <= {"store", "read", "waiting", "by", "token"}, "a way in that is not tried here"
    assert all(use(ModerationClient(TOKEN)) is not None for use in uses)
    for use in uses:
        for wrong in ("", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), "\ud800"):
            with pytest.raises(ModerationError, match="not the moderator's token"):
                use(ModerationClient(wrong))
    monkeypatch.delenv(token.VARIABLE)
    for use in uses:
        for value in ("", TOKEN):
            with pytest.raises(ModerationError, match=f"has no moderator.*{token.VARIABLE}"):
                use(ModerationClient(value))
    monkeypatch.setenv(token.VARIABLE, "short")
    for use in uses:
        with pytest.raises(ModerationError, match="fewer than 16"):
            use(ModerationClient("short"))
