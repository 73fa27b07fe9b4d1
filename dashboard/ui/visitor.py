"""Who visits, as far as limits need to know."""

import uuid

import streamlit as st

_CLIENT = "visitor"


def client() -> str:
    """Return the address of the network where it is known, else a name of this visit."""
    address = st.context.ip_address
    if address:
        return address
    return str(st.session_state.setdefault(_CLIENT, f"visit {uuid.uuid4().hex}"))
