"""Encodings of text files besides UTF-8."""


def is_cp949(body: bytes) -> bool:
    """Whether bytes are no UTF-8 and read as Korean text in CP949, the encoding of Korean Windows."""
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        pass
    else:
        return False
    try:
        words = body.decode("cp949")
    except UnicodeDecodeError:
        return False
    foreign = [letter for letter in words[:20_000] if not letter.isascii()]
    return bool(foreign) and sum("가" <= letter <= "힣" for letter in foreign) > 0.8 * len(foreign)
