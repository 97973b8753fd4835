"""Writes requirements/*.lock from pyproject.toml: `python requirements/compile.py` (needs `uv` on the PATH).

The locks hold hashes and no URL, so that any package index serves them. `server.lock` is what `make demo`
installs, `dev.lock` is that and the tools of `make test`, with the same versions.
"""

import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
OUT = ROOT / "requirements"


def write_lock(name: str, requirements: list[str], *, constraint: Path | None = None) -> None:
    command = ["uv", "pip", "compile", "--universal", "--python-version", "3.11", "--generate-hashes"]
    command += ["--no-annotate", "--no-header", "--no-emit-index-url", "--no-emit-find-links", "-q"]
    command += ["-", "-o", str(OUT / name)]
    if constraint:
        command += ["-c", str(constraint)]
    subprocess.run(command, input="\n".join(requirements), text=True, check=True, cwd=ROOT)  # noqa: S603


def main() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = project["dependency-groups"]
    extra = project["project"]["optional-dependencies"]["server"]
    server = project["project"]["dependencies"] + [r for r in extra if not r.startswith("steelyard-judge")]
    server += groups["build"]
    write_lock("dev.lock", server + groups["test"] + groups["lint"])
    write_lock("server.lock", server, constraint=OUT / "dev.lock")


if __name__ == "__main__":
    main()
