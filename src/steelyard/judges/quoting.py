"""Finds a quotation in the text it claims to come from, in code points. Pure."""

import re

LONGEST_QUOTE = 2_000
_TRIM = "\"'“”‘’«»„… \t\n\r"


def locate(quote: str, text: str) -> tuple[int, int] | None:
    """(start, end) of the first place where `quote` stands in `text`, end exclusive; None when it does not.

    First as it is, then whatever the white space and the case. Quotation marks and dots around it do not
    count.
    """
    wanted = quote.strip(_TRIM)
    if not wanted or len(wanted) > LONGEST_QUOTE:
        return None
    start = text.find(wanted)
    if start >= 0:
        return start, start + len(wanted)
    pattern = r"\s+".join(re.escape(word) for word in wanted.split())
    match = re.search(pattern, text, re.IGNORECASE)
    return None if match is None else match.span()
