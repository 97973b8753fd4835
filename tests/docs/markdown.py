"""Reads the fenced blocks of a Markdown file, with the line each starts at."""

import re
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^(?P<indent> *)```(?P<info>[^`\n]*)$")


@dataclass(frozen=True)
class Block:
    """`language` is the first word after the fence, `line` the 1-based line of its first line of text."""

    path: Path
    line: int
    language: str
    text: str


def blocks(path: Path) -> list[Block]:
    found: list[Block] = []
    opened: tuple[int, str, int] | None = None
    inside: list[str] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        fence = _FENCE.match(line)
        if opened is None:
            if fence:
                opened = (number + 1, fence["info"].split(" ")[0], len(fence["indent"]))
                inside = []
        elif fence and not fence["info"]:
            start, language, indent = opened
            text = "".join(f"{row[indent:]}\n" for row in inside)
            found.append(Block(path=path, line=start, language=language, text=text))
            opened = None
        else:
            inside.append(line)
    if opened is not None:
        raise ValueError(f"{path}:{opened[0]}: a fence is never closed")
    return found


def links(path: Path) -> list[str]:
    """The targets of its links and pictures, without those on the web and without anchors."""
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    return [t.split("#")[0] for t in targets if not re.match(r"[a-z]+:", t) and not t.startswith("#")]
