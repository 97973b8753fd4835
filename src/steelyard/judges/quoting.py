"""Finds a quotation in the text it claims to come from, in code points. Pure."""

import re

LONGEST_QUOTE = 2_000
_MARKS = "\"'“”‘’«»„ \t\n\r"
_DOTS = f"{_MARKS}.…"


def locate(quote: str, text: str) -> tuple[int, int] | None:
    """(start, end) of the first place where `quote` stands in `text`, end exclusive; None when it does not.

    First as it is, then whatever the white space and the case. Quotation marks and dots around it do not
    count; a quotation without a letter or digit is none.
    """
    if len(quote) > LONGEST_QUOTE or not any(character.isalnum() for character in quote):
        return None
    for trimmed in (quote.strip(_MARKS), quote.strip(_DOTS)):
        start = text.find(trimmed)
        if start >= 0:
            return start, start + len(trimmed)
    pattern = r"\s+".join(re.escape(word) for word in quote.strip(_DOTS).split())
    match = re.search(pattern, text, re.IGNORECASE)
    return None if match is None else match.span()
