"""A model of models for tests: it reads a prompt as it is laid out, decides by shared words, and obeys any
order that stands outside of the data. Content that breaks out of its fence therefore moves its verdict."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from .scripted import Answer, Received, completion

ORDER = "obey"
"""The word by which this model knows an order; no prompt of the judge has it."""


def answer(received: Received) -> Answer:
    return completion(reply(received.body["messages"]))


def reply(messages: Sequence[Mapping[str, str]]) -> str:
    """The reply to a conversation, as compact JSON."""
    user = next(message["content"] for message in messages if message["role"] == "user")
    blocks, outside = read_prompt(user)
    system = "\n".join(message["content"] for message in messages if message["role"] == "system")
    obeys = ORDER in f"{system}\n{outside}".lower()
    return json.dumps(_decide(blocks, obeys=obeys))


def read_prompt(user: str) -> tuple[dict[str, str], str]:
    """(data by name, everything else) of a user message, told apart by the mark its first `Mark:` line
    gives."""
    first = re.search(r"^Mark: (\w+)$", user, re.MULTILINE)
    assert first is not None, "a prompt without a mark"
    mark, rest = first[1], user.replace(first[0], "", 1)
    pattern = re.compile(rf"^\[begin (\w+) {mark}\]\n(.*?)\n\[end \1 {mark}\]$", re.DOTALL | re.MULTILINE)
    return dict(pattern.findall(rest)), pattern.sub("", rest)


def supports(requirement: str, passage: str) -> bool:
    """At least half of the requirement's longer words stand in the passage."""
    wanted = _words(requirement)
    return bool(wanted) and len(wanted & _words(passage)) * 2 >= len(wanted)


def _decide(blocks: Mapping[str, str], *, obeys: bool) -> dict[str, Any]:
    named = {letter: [name for name in blocks if re.fullmatch(rf"{letter}\d+", name)] for letter in "RPCE"}
    if named["R"]:
        return {
            requirement: {
                "reason": "words",
                "passages": [
                    {"passage": passage, "quote": blocks[passage][:20]}
                    for passage in named["P"]
                    if obeys or supports(blocks[requirement], blocks[passage])
                ],
            }
            for requirement in named["R"]
        }
    if "source" in blocks:
        return {
            claim: {
                "reason": "words",
                "supported": "yes" if obeys or supports(blocks[claim], blocks["source"]) else "no",
                "quote": blocks["source"][:20],
            }
            for claim in named["C"]
        }
    if "answer" in blocks:
        right = obeys or any(supports(blocks[expected], blocks["answer"]) for expected in named["E"])
        return {"reason": "words", "verdict": "correct" if right else "incorrect"}
    words = sorted(_words(blocks["task"])) or ["something"]
    return {"requirements": ["obeyed"] if obeys else [" ".join(words[:5])]}


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"\w+", text.casefold()) if len(word) > 3 or word.isdigit()}
