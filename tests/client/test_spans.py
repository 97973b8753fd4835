from opentelemetry.sdk.trace import TracerProvider

from steelyard import Client
from steelyard.client.spans import span_reader

from .conftest import ScriptedServer


def test_outside_of_a_span_there_is_nothing() -> None:
    assert span_reader()() == {}


def test_the_active_span_travels(server: ScriptedServer) -> None:
    tracer = TracerProvider().get_tracer("t")
    with Client("k", server.url) as client:
        with tracer.start_as_current_span("answer") as outer, tracer.start_as_current_span("search") as inner:
            client.log("q", ["a"])
        client.log("q", ["a"])
        assert client.flush(10)
    first, second = server.events
    assert first["trace_id"] == f"{outer.get_span_context().trace_id:032x}"
    assert first["span_id"] == f"{inner.get_span_context().span_id:016x}"
    assert first["parent_span_id"] == f"{outer.get_span_context().span_id:016x}"
    assert first["span_name"] == "search"
    assert "trace_id" not in second
