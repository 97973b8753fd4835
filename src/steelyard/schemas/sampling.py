"""Which events are evaluated: a decision by hash that every language makes alike."""

import hashlib

_BITS = 53


def sampled(rate: float, *, trace_id: str | None, event_id: str) -> bool:
    """Whether an event is in the evaluated share `rate` (0..1; 1 and above: always).

    The top 53 bits of SHA-256 over the UTF-8 text of the trace id (lower-case hex), or of the event id when
    there is
    no trace, divided by 2^53, are compared with the rate: all events of a trace share the decision.
    """
    if rate >= 1:
        return True
    text = trace_id.lower() if trace_id else event_id
    top = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> (64 - _BITS)
    return top < rate * (1 << _BITS)
