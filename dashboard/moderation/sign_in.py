"""Who gets in: whoever shows the moderator's token, or logs in as one of the moderators that the secrets name.

A token stays in the session: it is in no address, no cookie and no cache. Whether it is right is checked again by
every call of ``client.ModerationClient``.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitAuthError

from dashboard.moderation import token
from dashboard.moderation.client import ModerationClient
from dashboard.ui.i18n import _
from dashboard.ui.markdown import plain
from db.base.errors import ModerationError

_TOKEN, _WRONG, _FIELD = "moderator token", "moderator wrong", "moderator field"
_LONGEST_WAIT_S = 8.0

_START = 'FEATHERBOARD_MODERATOR_TOKEN="$(openssl rand -hex 24)" featherboard serve'
_SECRETS = """FEATHERBOARD_MODERATOR_TOKEN = "a secret of your own"
moderators = ["you@example.org"]

[auth]
redirect_uri = "http://localhost:8501/oauth2callback"
cookie_secret = "another secret of your own"
client_id = "..."
client_secret = "..."
server_metadata_url = "https://provider.example.org/.well-known/openid-configuration"
"""


def enter() -> ModerationClient | None:
    """Return the access of a moderator. Where nobody is let in yet, what that needs is drawn, and None is returned."""
    client = current()
    if client is not None:
        return client
    try:
        expected = token.expected()
    except ModerationError as error:
        st.error(_("The moderator's token cannot be read, so nothing can be decided."), icon=":material/error:")
        st.caption(plain(error))
        return None
    if not expected:
        if _providers():
            _ask_provider()
        else:
            _explain()
        return None
    if len(expected) < token.MIN_LENGTH:
        st.error(
            _(
                "The token of this installation is shorter than {least} characters; nothing can be decided with it."
            ).format(least=token.MIN_LENGTH),
            icon=":material/error:",
        )
        return None
    if st.session_state.pop(_TOKEN, None):
        st.warning(_("The token has been changed since you came in."), icon=":material/key_off:")
    _ask()
    return None


def current() -> ModerationClient | None:
    """Return the access of a moderator who has come in already, on any page; None for all others."""
    if token.moderator():
        return ModerationClient(None)
    held = st.session_state.get(_TOKEN)
    return ModerationClient(str(held)) if held and _passes(held) else None


def leave() -> None:
    """Forget the token, and log out whoever is logged in; for callbacks."""
    st.session_state.pop(_TOKEN, None)
    if token.user().get("is_logged_in"):
        st.logout()


def wait_s(wrong: int) -> float:
    """Seconds until a token is looked at after so many wrong ones: none, a half, one, two, four, then eight."""
    return min(_LONGEST_WAIT_S, 0.5 * 2.0 ** (min(wrong, 10) - 1)) if wrong else 0.0


def _passes(typed: str) -> bool:
    try:
        token.require(typed)
    except ModerationError:
        return False
    return True


def _ask() -> None:
    _ask_provider()
    with st.container(width=440), st.form("moderator", border=False, clear_on_submit=True):
        password = st.text_input(_("Moderator's token"), type="password", key=_FIELD, autocomplete="current-password")
        pressed = st.form_submit_button(_("Open the queue"), icon=":material/lock_open:", key="moderator enter")
    if not pressed:
        return
    wrong = st.session_state.get(_WRONG, 0)
    st.session_state[_WRONG] = wrong + 1  # before the wait: whoever does not sit it out has guessed all the same
    if wrong:
        with st.spinner(_("After a wrong token the next answer takes longer.")):
            time.sleep(wait_s(wrong))
    if not _passes(password):
        st.error(_("This is not the moderator's token."), icon=":material/key_off:")
        st.caption(_("After a wrong token the next answer takes longer."))
        return
    st.session_state[_TOKEN] = password
    st.session_state[_WRONG] = 0
    st.rerun()


def _ask_provider() -> None:
    offered = _providers()
    if not offered:
        return
    who = token.user()
    if who.get("is_logged_in"):
        email = plain(who.get("email") or _("an account without an e-mail address"))
        confirmed = who.get("email_verified") is True
        message = (
            _("{email} is not a moderator here. The list `moderators` in the secrets names who is.")
            if confirmed
            else _("Your provider does not confirm that {email} is yours, so it opens nothing here.")
        )
        st.warning(message.format(email=email), icon=":material/person_off:")
        st.button(_("Log out"), icon=":material/logout:", on_click=leave, key="moderator out")
        return
    for provider in offered:
        label = _("Log in with {name}").format(name=plain(provider)) if provider else _("Log in")
        if st.button(label, icon=":material/login:", key=f"moderator login {provider}"):
            try:
                st.login(provider)
            except StreamlitAuthError as error:
                st.error(_("Logging in did not work."), icon=":material/error:")
                st.caption(plain(error))


def providers(auth: Mapping[str, Any]) -> Sequence[str | None]:
    """The providers of a section ``[auth]``; None is the one without a name."""
    return [None] if "client_id" in auth else [name for name, value in auth.items() if isinstance(value, Mapping)]


def _providers() -> Sequence[str | None]:
    auth = token.secret("auth")
    return providers(auth) if isinstance(auth, Mapping) else []


def _explain() -> None:
    st.subheader(_("This installation has no moderator yet."), anchor=False)
    st.markdown(
        _(
            "Submissions wait until there is one. Make a secret of at least {least} characters and "
            "start the board with it:"
        ).format(least=token.MIN_LENGTH)
    )
    st.code(_START, language="bash", wrap_lines=True)
    st.markdown(
        _(
            "Or write it into `.streamlit/secrets.toml`. Whoever shall log in with an account instead "
            "is named there too, beside a section `[auth]` for the provider:"
        )
    )
    st.code(_SECRETS, language="toml", wrap_lines=True)
