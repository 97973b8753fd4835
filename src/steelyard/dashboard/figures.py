"""How numbers and times are written on pages. Pure; the exact value stands in `<data value>`."""

from __future__ import annotations

from datetime import UTC, datetime

from markupsafe import Markup

from steelyard.schemas.numbers import Estimate, Value

NOTHING = "–"
MINUS = "−"
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def figure(value: float | None, *, digits: int = 3, signed: bool = False) -> str:
    """`0.679`, with a real minus sign, `+` when `signed`; a dash for None. Never `-0.000`."""
    if value is None:
        return NOTHING
    text = f"{abs(value):.{digits}f}"
    if float(text) == 0:
        return text
    sign = MINUS if value < 0 else "+" if signed else ""
    return sign + text


def percent(value: float | None) -> str:
    """`97.3%` of a share in 0..1."""
    return NOTHING if value is None else f"{value * 100:.1f}%"


def count(value: int | None) -> str:
    """`41,208`."""
    return NOTHING if value is None else f"{value:,}"


def seconds(value: float | None) -> str:
    """`38 ms`, `1.24 s`, `3.2 min`."""
    if value is None:
        return NOTHING
    if value < 0.0095:
        return f"{value * 1000:.1f} ms"
    if value < 0.9995:
        return f"{value * 1000:.0f} ms"
    return f"{value:.2f} s" if value < 120 else f"{value / 60:.1f} min"


def age(value: float) -> str:
    """`3 s`, `12 min`, `5 h`, `2 d`: how old something is, rounded down."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if value >= size:
            return f"{int(value // size)} {unit}"
    return f"{int(value)} s"


def dollars(value: float | None) -> str:
    """`$0.0042`; a dash when the price is not known."""
    return NOTHING if value is None else f"${value:.4f}"


def moment(value: datetime | None) -> str:
    """`14 Nov 2026 09:12` in UTC."""
    if value is None:
        return NOTHING
    utc = value.astimezone(UTC)
    return f"{utc.day} {MONTHS[utc.month - 1]} {utc.year} {utc:%H:%M}"


def clock(value: datetime) -> Markup:
    """A `<time>` element with the exact instant in its attribute."""
    exact = value.astimezone(UTC).isoformat()
    return Markup('<time datetime="{}">{}</time>').format(exact, moment(value))


def datum(value: float | None, shown: str) -> Markup:
    """The shown text with its exact number, so that a page can be held against its JSON twin."""
    return (
        Markup("{}").format(shown)
        if value is None
        else Markup('<data value="{}">{}</data>').format(repr(value), shown)
    )


def number(value: float | None, digits: int = 3) -> Markup:
    return datum(value, figure(value, digits=digits))


def signed(value: float | None, digits: int = 3) -> Markup:
    return datum(value, figure(value, digits=digits, signed=True))


def share(value: float | None) -> Markup:
    return datum(value, percent(value))


def interval(low: float | None, high: float | None, *, plus: bool = False) -> Markup:
    """`[0.649, 0.709]`, or nothing when either end is missing."""
    if low is None or high is None:
        return Markup("")
    write = signed if plus else number
    return Markup("[{}, {}]").format(write(low), write(high))


def defined(value: Value | None) -> Markup:
    """One event's metric, or a dash that says why."""
    if value is None:
        return Markup("{}").format(NOTHING)
    if value.value is None:
        return Markup('<span class="undefined">undefined: {}</span>').format(value.reason)
    return number(value.value)


def why_no_interval(estimate: Estimate) -> str | None:
    """The sentence that stands where an interval is missing; None when it is there."""
    if estimate.low is not None and estimate.high is not None:
        return None
    if estimate.reason:
        return estimate.reason
    return "no interval" if estimate.value is not None else "nothing to average"
