import gzip
import json

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.errors import Malformed, TooLarge
from steelyard.server.body import count_keys, expand, parse

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "the body is empty"),
        (b" \n", "the body is empty"),
        (b"{", "the body is not JSON: "),
        (b"[1,]", "the body is not JSON: "),
        (b"{} {}", "the body is not JSON: "),
        (b"[NaN]", "the body is not JSON: "),
        (b"[Infinity]", "the body is not JSON: "),
        (b"[-Infinity]", "the body is not JSON: "),
        (b"[1e999]", "the body is not JSON: "),
        (b'"\\ud800"', "the body is not JSON: "),
        (b'"\\udc00\\ud800"', "the body is not JSON: "),
        (b"\xef\xbb\xbf{}", "the body is not JSON: "),
        (b'{"task": "caf\xe9"}', "the body is not UTF-8: byte 0xe9 at offset 13"),
        (b'"\xed\xa0\x80"', "the body is not UTF-8: byte 0xed at offset 1"),
        (b"[" * 65 + b"]" * 65, "the body nests deeper than 64 levels"),
        (b'{"a":' * 65 + b"1" + b"}" * 65, "the body nests deeper than 64 levels"),
        (b"[" * 100_000 + b"]" * 100_000, "the body nests deeper than 64 levels"),
        (b"[" * 100_000, "the body nests deeper than 64 levels"),
        (b'{"task": "a", "task": "b"}', "the key 'task' stands twice in one object"),
        (b'{"a" :1, "a":2}', "the key 'a' stands twice in one object"),
        (b'{"a":"\\":", "a":2}', "the key 'a' stands twice in one object"),
        (b'{"a"\n:"\\":", "a":2}', "the key 'a' stands twice in one object"),
        (b'[{"a": {"b" : 1, "\\u0062":2}}]', "the key 'b' stands twice in one object"),
    ],
)
def test_malformed_bodies_are_named(raw: bytes, message: str) -> None:
    with pytest.raises(Malformed) as refused:
        parse(raw, depth=64)
    assert refused.value.message.startswith(message)
    assert refused.value.status == 400


@given(JSON)
def test_everything_that_json_can_say_is_read_as_it_is(value: object) -> None:
    assert parse(orjson.dumps(value), depth=64) == value
    assert parse(json.dumps(value).encode(), depth=64) == value


@given(st.integers(0, 40), st.integers(1, 40), st.booleans())
def test_depth_counts_lists_and_objects(levels: int, limit: int, objects: bool) -> None:
    value: object = 1
    for _ in range(levels):
        value = {"a": value, "b": 2} if objects else [value, 3]
    expected = None if levels > limit else 2 * levels if objects else 0
    assert count_keys(value, depth=limit) == expected


@given(st.lists(st.binary(max_size=2_000), min_size=1, max_size=3))
def test_gzip_expands_over_all_members(members: list[bytes]) -> None:
    packed = b"".join(gzip.compress(member) for member in members)
    whole = b"".join(members)
    assert expand(packed, max_bytes=len(whole)) == whole
    if whole:
        with pytest.raises(TooLarge):
            expand(packed, max_bytes=len(whole) - 1)


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    bomb = gzip.compress(bytes(200 * 1024 * 1024), compresslevel=9)
    with pytest.raises(TooLarge, match="expands to more than the limit of 1,000,000 bytes"):
        expand(bomb, max_bytes=1_000_000)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "the gzip body ends too early"),
        (gzip.compress(b"{}" * 100)[:-4], "the gzip body ends too early"),
        (b"{}", "the body is not gzip"),
        (gzip.compress(b"{}") + b"tail", "the body is not gzip"),
        (gzip.compress(b"{}")[:-8] + b"\0" * 8, "the body is not gzip"),
    ],
)
def test_broken_gzip_is_named(raw: bytes, message: str) -> None:
    with pytest.raises(Malformed, match=message):
        expand(raw, max_bytes=1_000)
