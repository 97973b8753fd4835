"""The API's routers, one a noun."""

from fastapi import APIRouter

from . import (
    accuracy,
    audit,
    disagreements,
    events,
    exports,
    judges,
    keys,
    labels,
    metrics,
    queue,
    requirements,
    samples,
)

ROUTERS: tuple[APIRouter, ...] = (
    events.router,
    queue.router,
    metrics.router,
    accuracy.router,
    disagreements.router,
    labels.router,
    samples.router,
    requirements.router,
    judges.router,
    exports.router,
    keys.router,
    audit.router,
)
