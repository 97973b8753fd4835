import gzip
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from steelyard.errors import ConfigurationError, InvalidInput
from steelyard.replay import BadRow, Row, Source, check, open_source
from steelyard.replay.rows import text_id
from steelyard.schemas.event import Limits

from .conftest import Write

NOW = datetime(2026, 5, 1, tzinfo=UTC)
EVENT = {"task": "q", "context": [{"text": "a", "id": "d"}], "ground_truth": {"gold_doc_ids": ["d"]}}
RAGAS = {"user_input": "q", "retrieved_contexts": ["a", "b"], "reference_contexts": ["b", "c"]}


def rows(source: Source) -> list[dict[str, Any]]:
    found = list(source.rows())
    assert all(isinstance(row, Row) for row in found), found
    return [dict(row.event) for row in found if isinstance(row, Row)]


def bad(source: Source) -> list[str]:
    return [str(row) for row in check(source, dataset=None, limits=Limits(), now=NOW).bad]


@pytest.mark.parametrize(
    ("line", "format"),
    [
        (EVENT, "events"),
        (RAGAS, "ragas"),
        ({"question": "q", "contexts": []}, "ragas"),
        ({"question": "q"}, "ragas"),
        ({"task": "q", "context": [], "question": "x"}, "events"),
        ({}, "events"),
        ("{broken", "events"),
        ("q1 Q0 d1 1 0.5 tag", "trec"),
    ],
)
def test_formats_are_told_by_their_fields(write: Write, line: Any, format: str) -> None:
    assert open_source(write("f.jsonl", [line])).format == format


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([], "is empty"),
        (["q1 0 d1 1"], "looks like qrels"),
        (["some text"], "in no format that is known"),
        (["[1]"], "One object a line is read"),
    ],
)
def test_what_is_no_format_is_said(write: Write, lines: list[str], says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        open_source(write("f", lines))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="there is no file"):
        open_source(tmp_path / "absent.jsonl")


def test_options_of_another_format_are_refused(write: Write) -> None:
    path = write("f.jsonl", [EVENT])
    for option in ({"qrels": path}, {"run": path}, {"split": "dev"}, {"documents": path}):
        with pytest.raises(ConfigurationError, match="belong"):
            open_source(path, **option)  # type: ignore[arg-type]


def test_bad_lines_are_named_by_number_and_field(write: Write, tmp_path: Path) -> None:
    path = write(
        "f.jsonl",
        [
            EVENT,
            "",
            "{broken",
            {"task": "q"},
            {**EVENT, "context": [{"text": "a", "rank": 0}]},
            '{"task": "q", "context": [{"text": "a", "score": NaN}]}',
            "[]",
            '{"task": "q", "context": [], "task": "r"}',
            '{"task": "q", "context": [{"text": "a", "rank": ' + "9" * 5_000 + "}]}",
        ],
    )
    path.write_bytes(path.read_bytes() + b'{"task": "\xff"}\n' + b"[" * 100_000 + b"\n")
    assert bad(open_source(path)) == [
        "f.jsonl:3: this is not JSON: Expecting property name enclosed in double quotes at column 2",
        "f.jsonl:4: context is missing (at /context)",
        "f.jsonl:5: " + bad(open_source(path))[2].partition(": ")[2],
        "f.jsonl:6: NaN is not a number in JSON",
        "f.jsonl:7: this is not a JSON object",
        "f.jsonl:8: the key 'task' stands twice in one object",
        "f.jsonl:9: the JSON holds a number of too many digits",
        "f.jsonl:10: byte 0xff at offset 10 is not UTF-8",
        "f.jsonl:11: the JSON nests too deeply",
    ]
    assert bad(open_source(path))[2].endswith("(at /context/0/rank)")


def test_a_byte_order_mark_crlf_and_gzip_are_read(tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl.gz"
    path.write_bytes(gzip.compress(b'\xef\xbb\xbf{"task": "q", "context": []}\r\n\r\n'))
    assert rows(open_source(path)) == [{"task": "q", "context": []}]


def test_ragas_rows_match_references_by_text(write: Write) -> None:
    (event,) = rows(open_source(write("f.jsonl", [{**RAGAS, "reference": "an answer"}])))
    assert event["task"] == "q"
    assert [passage["id"] for passage in event["context"]] == [text_id("a"), text_id("b")]
    assert event["ground_truth"] == {"gold_doc_ids": [text_id("b"), text_id("c")], "answer": "an answer"}
    assert text_id(" b\n") == text_id("b") != text_id("B")


@pytest.mark.parametrize(
    ("row", "truth"),
    [
        (
            {"question": "q", "contexts": ["a"], "ground_truths": ["x", "y"]},
            {"answer": "x"},
        ),
        (
            {"question": "q", "retrieved_contexts": ["a"], "ground_truth_contexts": []},
            {"gold_doc_ids": []},
        ),
        (
            {
                "user_input": "q",
                "retrieved_contexts": ["a"],
                "retrieved_context_ids": [7],
                "reference_context_ids": [7, 8],
            },
            {"gold_doc_ids": [7, 8]},
        ),
        ({"user_input": "q", "retrieved_contexts": ["a"]}, None),
    ],
)
def test_older_and_barer_ragas_rows(write: Write, row: dict[str, Any], truth: Any) -> None:
    (event,) = rows(open_source(write("f.jsonl", [row])))
    assert event.get("ground_truth") == truth


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"question": "q"}, "retrieved_contexts is missing (at /retrieved_contexts)"),
        ({"contexts": ["a"]}, "user_input is missing (at /user_input)"),
        ({"question": ["a", "b"], "contexts": []}, "question is not a text (at /question)"),
        ({"question": "q", "contexts": "a"}, "contexts is not a list of texts (at /contexts)"),
        ({"question": "q", "contexts": ["a", 1]}, "item 1 of contexts is not a text (at /contexts/1)"),
        ({"question": " ", "contexts": []}, "task is blank (at /question)"),
        (
            {"question": "q", "contexts": ["a" * 20_001]},
            "(at /contexts/0/text)",
        ),
    ],
)
def test_bad_ragas_rows_are_named_by_their_own_fields(write: Write, row: dict[str, Any], says: str) -> None:
    (said,) = bad(open_source(write("f.jsonl", [row])))
    assert says in said


RUN = ["q1 Q0 d1 1 0.5 t", "q1 Q0 d2 2 0.9 t", "q1 Q0 d3 3 0.5 t", "q1 Q0 d2 4 0.1 t", "q2 Q0 d1 1 1 t"]
QRELS = ["q1 0 d1 1", "q1 0 d9 2", "q1 0 d2 0", "q3 0 d1 1"]


def test_a_trec_run_is_read_as_trec_eval_does(write: Write) -> None:
    source = open_source(write("r.run", RUN), qrels=write("q.qrels", QRELS))
    first, second, third = rows(source)
    assert [(hit["id"], hit["rank"], hit["score"]) for hit in first["context"]] == [
        ("d2", 1, 0.9),
        ("d3", 2, 0.5),
        ("d1", 3, 0.5),
    ]
    assert first["ground_truth"] == {"gold_doc_ids": ["d1", "d9"]}
    assert "ground_truth" not in second
    assert (third["task"], third["context"]) == ("q3", [])
    assert [row["sample_rate"] for row in (first, second, third)] == [0.0] * 3
    assert any("nothing to judge" in note for note in source.notes)
    assert any("1 judged queries have no line" in note for note in source.notes)


def test_with_texts_a_trec_run_can_be_judged(write: Write) -> None:
    documents = write("d.jsonl", [{"_id": name, "title": "T", "text": "x"} for name in ("d1", "d2")] + [
        {"docno": "d3", "text": "y"}
    ])  # fmt: skip
    source = open_source(
        write("r.run", RUN), documents=documents, queries=write("q.tsv", ["q1\tone?", "q2\ttwo?"])
    )
    first, second = rows(source)
    assert (first["task"], first["context"][0]["text"], first["context"][1]["text"]) == ("one?", "T\nx", "y")
    assert "sample_rate" not in second


def test_texts_that_are_missing_are_bad_rows(write: Write) -> None:
    source = open_source(
        write("r.run", RUN), documents=write("d.tsv", ["d1\tx"]), queries=write("q.tsv", ["q1\tone?"])
    )
    assert [row.message for row in source.rows() if isinstance(row, BadRow)] == [
        "the document 'd2' of query 'q1' has no text",
        "the query 'q2' has no text in the queries file",
    ]


@pytest.mark.parametrize(
    ("run", "says"),
    [
        (["q1 Q0 d1 1 0.5 t", "q1 Q0 d1"], "r.run:2: a run line has 6 columns, this one 3"),
        (["q1 Q0 d1 1 nan t"], "r.run:1: 'nan' is not a number"),
        (["q1 Q0 d1 1 x t"], "r.run:1: 'x' is not a number"),
    ],
)
def test_a_broken_run_is_said_by_line(write: Write, run: list[str], says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        open_source(write("r.run", run))


def test_qrels_of_other_queries_are_said(write: Write) -> None:
    with pytest.raises(ConfigurationError, match=r"no query of r\.run is judged"):
        open_source(write("r.run", RUN), qrels=write("q", ["other 0 d1 1"]))


def beir(write: Write, **more: list[Any]) -> Path:
    write("b/corpus.jsonl", [{"_id": f"d{n}", "title": "", "text": f"word{n} common"} for n in range(30)])
    write(
        "b/queries.jsonl",
        [{"_id": "q1", "text": "word1"}, {"_id": "q2", "text": "common"}, {"_id": "q3", "text": "x"}],
    )
    write("b/qrels/test.tsv", ["query-id\tcorpus-id\tscore", "q1\td1\t1", "q2\td3\t2", "q2\td4\t0"])
    for name, lines in more.items():
        write(f"b/{name.replace('_', '.')}", lines)
    return write("b/qrels/train.tsv", ["query-id\tcorpus-id\tscore", "q3\td1\t1"]).parent.parent


def test_a_beir_folder_without_a_run_is_ranked_by_bm25(write: Write) -> None:
    source = open_source(beir(write))
    first, second = rows(source)
    assert (source.format, source.name) == ("beir", "b")
    assert [hit["id"] for hit in first["context"]] == ["d1"]
    assert first["ground_truth"] == {"gold_doc_ids": ["d1"]}
    assert len(second["context"]) == 10
    assert second["ground_truth"] == {"gold_doc_ids": ["d3"]}
    assert any("BM25" in note for note in source.notes)


def test_a_beir_folder_with_a_run_and_another_split(write: Write) -> None:
    folder = beir(write, my_run=["q1 Q0 d5 1 2.0 t"])
    first, second = rows(open_source(folder))
    assert [hit["id"] for hit in first["context"]] == ["d5"]
    assert second["context"] == []
    assert [row["task"] for row in rows(open_source(folder, split="train"))] == ["x"]
    with pytest.raises(ConfigurationError, match="There is: test, train"):
        open_source(folder, split="dev")


def test_a_folder_that_is_not_beirs(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"has no corpus\.jsonl"):
        open_source(tmp_path)
