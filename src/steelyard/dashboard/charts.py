"""Small SVG drawings: trends with interval bands, interval strips, stacked shares. Pure: points to markup.

Only presentation attributes and classes, no style attributes: the Content-Security-Policy allows none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

from steelyard.schemas.numbers import Estimate

from .figures import figure, interval, moment
from .models import Mark, Point

WIDTH, HEIGHT = 268.0, 66.0
LEFT, RIGHT, TOP, BOTTOM = 2.0, 28.0, 12.0, 8.0


@dataclass(frozen=True)
class Scale:
    """Maps values and instants to the drawing; `low` and `high` are the ends of the value axis."""

    start: datetime
    end: datetime
    low: float
    high: float
    width: float = WIDTH
    height: float = HEIGHT
    left: float = LEFT
    right: float = RIGHT
    top: float = TOP
    bottom: float = BOTTOM

    def x(self, at: datetime) -> float:
        whole = (self.end - self.start).total_seconds() or 1.0
        share = min(max((at - self.start).total_seconds() / whole, 0.0), 1.0)
        return self.left + share * (self.width - self.left - self.right)

    def y(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.height - self.bottom - min(max(share, 0.0), 1.0) * (self.height - self.top - self.bottom)


def axis(points: Sequence[Point]) -> tuple[float, float]:
    """The ends of the value axis: tenths around what is drawn, at least 0.2 apart, within 0..1."""
    drawn = [v for p in points for v in (p.estimate.low, p.estimate.high, p.estimate.value) if v is not None]
    if not drawn:
        return 0.0, 1.0
    low, high = math.floor(min(drawn) * 10) / 10, math.ceil(max(drawn) * 10) / 10
    while high - low < 0.195:
        low, high = max(0.0, low - 0.1), min(1.0, high + 0.1)
    return low, high


def runs(points: Sequence[Point]) -> list[list[Point]]:
    """The stretches of neighbouring buckets that have a value: a line is never drawn over a gap."""
    found: list[list[Point]] = []
    open_run = False
    for point in points:
        if point.estimate.value is None:
            open_run = False
        elif open_run:
            found[-1].append(point)
        else:
            found.append([point])
            open_run = True
    return found


def _path(pairs: Sequence[tuple[float, float]], *, closed: bool = False) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in pairs) + ("Z" if closed else "")


def _middle(point: Point) -> datetime:
    return point.start + (point.end - point.start) / 2


def _drawn(point: Point) -> tuple[float, float, float]:
    """Value, low and high; a missing interval has no height."""
    value = point.estimate.value or 0.0
    low, high = point.estimate.low, point.estimate.high
    return value, value if low is None else low, value if high is None else high


def _body(points: Sequence[Point], scale: Scale) -> list[Markup]:
    parts: list[Markup] = []
    for run in runs(points):
        at = [scale.x(_middle(p)) for p in run]
        values, lows, highs = ([scale.y(v) for v in column] for column in zip(*map(_drawn, run), strict=True))
        if len(run) == 1:
            ends = f"{at[0]:.1f}", f"{lows[0]:.1f}", f"{highs[0]:.1f}"
            parts.append(Markup('<line class="whisker" x1="{0}" x2="{0}" y1="{1}" y2="{2}"/>').format(*ends))
            dot = f"{at[0]:.1f}", f"{values[0]:.1f}"
            parts.append(Markup('<circle class="lone" cx="{}" cy="{}" r="1.6"/>').format(*dot))
            continue
        outline = [*zip(at, highs, strict=True), *reversed(list(zip(at, lows, strict=True)))]
        parts.append(Markup('<path class="band" d="{}"/>').format(_path(outline, closed=True)))
        parts.append(Markup('<path class="line" d="{}"/>').format(_path(list(zip(at, values, strict=True)))))
    known = [p for p in points if p.estimate.value is not None]
    if known:
        last = known[-1]
        parts.append(
            Markup('<circle class="last" cx="{}" cy="{}" r="2.4"/>').format(
                f"{scale.x(_middle(last)):.1f}", f"{scale.y(last.estimate.value or 0.0):.1f}"
            )
        )
    return parts


def _marks(marks: Sequence[Mark], scale: Scale) -> list[Markup]:
    """Dotted release lines with one-letter labels; letters that would touch are written once for both."""
    parts: list[Markup] = []
    free = -math.inf
    for mark in marks:
        x = scale.x(mark.at)
        title = Markup("<title>{}: {}, first seen {}</title>").format(mark.letter, mark.name, moment(mark.at))
        parts.append(
            Markup('<line class="mark" x1="{0}" x2="{0}" y1="{1}" y2="{2}">{3}</line>').format(
                f"{x:.1f}", f"{scale.top - 3:.1f}", f"{scale.height - scale.bottom:.1f}", title
            )
        )
        if x - free >= 9:
            parts.append(
                Markup('<text class="letter" x="{}" y="7">{}</text>').format(f"{x:.1f}", mark.letter)
            )
            free = x
    return parts


def _hovers(points: Sequence[Point], scale: Scale) -> list[Markup]:
    parts = []
    for p in points:
        left, right = scale.x(p.start), scale.x(p.end)
        text = Markup("{}: {} {} n={}").format(
            moment(p.start), figure(p.estimate.value), _plain(p.estimate), p.estimate.n
        )
        parts.append(
            Markup('<rect class="hover" x="{}" y="0" width="{}" height="{}"><title>{}</title></rect>').format(
                f"{left:.1f}", f"{max(right - left, 0.1):.1f}", f"{scale.height:.0f}", text
            )
        )
    return parts


def _plain(estimate: Estimate) -> str:
    return interval(estimate.low, estimate.high).striptags()


def _said(name: str, points: Sequence[Point]) -> str:
    known = [p for p in points if p.estimate.value is not None]
    if not known:
        return f"{name}: nothing in this range"
    first, last = known[0], known[-1]
    return (
        f"{name} over time, {len(known)} points: {figure(first.estimate.value)} on {moment(first.start)}, "
        f"{figure(last.estimate.value)} on {moment(last.start)}"
    )


def trend(
    points: Sequence[Point], *, name: str, start: datetime, end: datetime, marks: Sequence[Mark] = ()
) -> Markup:
    """A tile's small multiple: line, interval band, last point, release marks, the axis ends at the right."""
    low, high = axis(points)
    scale = Scale(start=start, end=end, low=low, high=high)
    right, floor = f"{WIDTH - RIGHT + 6:.0f}", HEIGHT - BOTTOM
    parts = [
        Markup('<line class="floor" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(
            LEFT, WIDTH - RIGHT, floor, floor
        ),
        *_marks(marks, scale),
        *_body(points, scale),
        Markup('<text class="end" x="{}" y="{}">{}</text>').format(right, TOP + 3, f"{high:.1f}"),
        Markup('<text class="end" x="{}" y="{}">{}</text>').format(right, floor + 3, f"{low:.1f}"),
        *_hovers(points, scale),
    ]
    return Markup('<svg class="trend" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        f"{WIDTH:.0f}", f"{HEIGHT:.0f}", _said(name, points), Markup("").join(parts)
    )


def spark(points: Sequence[Point], *, name: str, start: datetime, end: datetime) -> Markup:
    """A table's small line, on the whole axis 0..1 so that rows can be compared."""
    scale = Scale(
        start=start, end=end, low=0.0, high=1.0, width=120, height=24, left=2, right=4, top=3, bottom=3
    )
    return Markup(
        '<svg class="spark" viewBox="0 0 120 24" width="120" height="24" role="img" aria-label="{}">{}</svg>'
    ).format(_said(name, points), Markup("").join(_body(points, scale)))


def strip(estimate: Estimate, *, name: str) -> Markup:
    """An interval on the axis 0..1: a rail, the interval, the value."""
    if estimate.value is None:
        return Markup("")
    said = f"{name} {figure(estimate.value)} {_plain(estimate)}"
    parts = [Markup('<line class="rail" x1="2" x2="118" y1="8" y2="8"/>')]
    if estimate.low is not None and estimate.high is not None:
        ends = (f"{2 + 116 * estimate.low:.1f}", f"{2 + 116 * estimate.high:.1f}")
        parts.append(Markup('<line class="reach" x1="{}" x2="{}" y1="8" y2="8"/>').format(*ends))
    parts.append(
        Markup('<circle class="last" cx="{}" cy="8" r="2.4"/>').format(f"{2 + 116 * estimate.value:.1f}")
    )
    return Markup(
        '<svg class="strip" viewBox="0 0 120 16" width="120" height="16" role="img" aria-label="{}">{}</svg>'
    ).format(said, Markup("").join(parts))


def stack(parts: Sequence[tuple[str, str, int]], *, name: str) -> Markup:
    """One bar of shares from (class, word, count) triples; empty parts are left out."""
    total = sum(n for _, _, n in parts)
    if not total:
        return Markup("")
    x, drawn = 0.0, []
    for css, word, n in parts:
        width = 400 * n / total
        if n:
            drawn.append(
                Markup(
                    '<rect class="{}" x="{}" y="0" width="{}" height="10"><title>{}: {}</title></rect>'
                ).format(css, f"{x:.2f}", f"{max(width, 1.0):.2f}", word, f"{n:,}")
            )
        x += width
    said = f"{name}: " + ", ".join(f"{n:,} {word}" for _, word, n in parts if n)
    return Markup(
        '<svg class="stack" viewBox="0 0 400 10" preserveAspectRatio="none" role="img" aria-label="{}">'
        "{}</svg>"
    ).format(said, Markup("").join(drawn))
