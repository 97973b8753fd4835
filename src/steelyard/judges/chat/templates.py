"""The prompts, as versioned data files beside this module: loaded once, with a digest that is part of the
identity."""

import hashlib
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

VERSIONS = {"requirements": 1, "support": 1, "grounded": 1, "correct": 1, "repair": 1}


@dataclass(frozen=True)
class Template:
    """`system` never holds anything a user wrote; `ask` ends the user message, after the data."""

    name: str
    version: int
    system: str
    ask: str


@cache
def template(name: str) -> Template:
    """The current version of a prompt."""
    fields = tomllib.loads(_source(name))
    if (fields["name"], fields["version"]) != (name, VERSIONS[name]):
        raise ValueError(f"the prompt file of {name} says {fields['name']} v{fields['version']}")
    return Template(name, VERSIONS[name], fields["system"].strip(), fields["ask"].strip())


@cache
def prompts_digest() -> str:
    """SHA-256 hex over every prompt file in use."""
    whole = hashlib.sha256()
    for name in sorted(VERSIONS):
        whole.update(hashlib.sha256(_source(name).encode()).digest())
    return whole.hexdigest()


def _source(name: str) -> str:
    return (files(__package__) / "prompts" / f"{name}.v{VERSIONS[name]}.toml").read_text("utf-8")
