"""Puts the replies to many calls together into one answer: a union over windows, quotations turned into
offsets. Pure."""

from collections.abc import Sequence

from steelyard.schemas.judging import (
    Cell,
    GroundedAnswer,
    GroundedCase,
    GroundedClaim,
    SupportAnswer,
    Usage,
)
from steelyard.schemas.verdict import Evidence

from ..inert import inert
from ..packing import Piece
from ..quoting import locate
from .replies import ClaimReply, SupportReply


def support_from(
    calls: Sequence[tuple[Sequence[Piece], Sequence[SupportReply]]], *, slots: bool, usage: Usage
) -> SupportAnswer:
    """`calls` pairs the pieces a call showed with its reply to every requirement, in order.

    A passage supports a requirement when one of its windows does. A quotation that does not stand in the
    passage is dropped; the verdict stays, for it is the model's and not the quotation's.
    """
    reasons: dict[tuple[int, int], str] = {}
    evidence: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for shown, rows in calls:
        for requirement, row in enumerate(rows):
            cited = dict(row.passages)
            for index, piece in enumerate(shown):
                for position in piece.positions:
                    cell = (requirement, position)
                    if index not in cited:
                        reasons.setdefault(cell, row.reason)
                        continue
                    if cell not in evidence:
                        reasons[cell] = row.reason
                    found = locate(cited[index], inert(piece.text))
                    places = evidence.setdefault(cell, [])
                    if (
                        found is not None
                        and (place := (found[0] + piece.start, found[1] + piece.start)) not in places
                    ):
                        places.append(place)
    cells = tuple(
        Cell(
            requirement=requirement,
            passage=position,
            supported=(requirement, position) in evidence,
            reason=reason,
            evidence=tuple(
                Evidence(pointer=f"/context/{position}/text", start=start, end=end)
                for start, end in evidence.get((requirement, position), ())
            ),
        )
        for (requirement, position), reason in sorted(reasons.items())
    )
    cited_positions = tuple(sorted({position for _, position in evidence}))
    return SupportAnswer(cells=() if slots else cells, cited=cited_positions, estimated=slots, usage=usage)


def claims_from(
    case: GroundedCase, readings: Sequence[tuple[int, int, ClaimReply]], *, usage: Usage
) -> GroundedAnswer:
    """`readings` are (claim, where the window starts, reply). A claim is supported when one window supports
    it, else unsure when one was unsure, else not supported; a claim of no words is unsure."""
    windows: dict[int, list[tuple[int, ClaimReply]]] = {}
    for index, start, reply in readings:
        windows.setdefault(index, []).append((start, reply))
    source = inert(case.source)
    claims = []
    for position, claim in enumerate(case.claims):
        best = max(windows.get(position, ()), key=lambda window: _RANK[window[1].supported], default=None)
        if best is None:
            claims.append(GroundedClaim(claim=claim, supported=None, reason="The claim has no words."))
            continue
        start, reply = best
        found = locate(reply.quote, source[start:])
        place = (
            ()
            if found is None
            else (Evidence(pointer="/source", start=found[0] + start, end=found[1] + start),)
        )
        claims.append(
            GroundedClaim(claim=claim, supported=reply.supported, reason=reply.reason, evidence=place)
        )
    return GroundedAnswer(claims=tuple(claims), usage=usage)


_RANK = {True: 2, None: 1, False: 0}
