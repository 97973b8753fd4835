import csv
import io

import pytest

from steelyard.server.tables import cell, csv_lines, jsonl_lines


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("plain", "plain"),
        ("", ""),
        (None, ""),
        (True, "true"),
        (-0.5, -0.5),
        (-3, -3),
        ("=1+1", "'=1+1"),
        ("+49 30 1234", "'+49 30 1234"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\tx", "'\tx"),
        ("\r=1", "'\r=1"),
        ("\n=1", "'\n=1"),
        ("  =1+1", "'  =1+1"),
        ("＝1+1", "'＝1+1"),
        ("a=1", "a=1"),
        ({"a": [1, "ä"]}, '{"a":[1,"ä"]}'),
        ([], "[]"),
    ],
)
def test_no_cell_becomes_a_formula(value: object, written: object) -> None:
    assert cell(value) == written


def test_csv_is_read_back_by_the_standard_reader() -> None:
    rows = [{"a": 'say "hi", then\nleave', "b": 1.5}, {"b": None, "c": "not a column"}, {"a": "ü\0\x01"}]
    raw = b"".join(csv_lines(rows, columns=("a", "b")))
    assert raw.startswith(b"\xef\xbb\xbfa,b\r\n")
    read = list(csv.DictReader(io.StringIO(raw.decode("utf-8-sig"), newline="")))
    assert read == [{"a": 'say "hi", then\nleave', "b": "1.5"}, {"a": "", "b": ""}, {"a": "ü\0\x01", "b": ""}]


def test_jsonl_is_one_object_a_line() -> None:
    assert b"".join(jsonl_lines([{"a": "x\ny"}, {"b": 1}])) == b'{"a":"x\\ny"}\n{"b":1}\n'
