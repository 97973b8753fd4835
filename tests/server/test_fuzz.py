"""The live API against its own OpenAPI document: all checks, a fixed seed, bounded examples."""

import os
import subprocess
import sys
from pathlib import Path

from .live import Api

FUZZ = Path(__file__).parent / "fuzz"


def test_the_api_keeps_its_contract(sqlite_api: Api, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(FUZZ / "schemathesis.toml")]
    command += [
        "run",
        f"{sqlite_api.live.url}/v1/openapi.json",
        "--header",
        f"Authorization: Bearer {sqlite_api.key}",
    ]
    command += ["--phases", "coverage,fuzzing", "--max-examples", "5", "--seed", "1"]
    command += ["--no-shrink", "--workers", "2", "--request-timeout", "20"]
    environment = {
        **os.environ,
        "NO_COLOR": "1",
        "SCHEMATHESIS_HOOKS": str(FUZZ / "hooks.py"),
        "COLUMNS": "120",
    }
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=170)
    assert ran.returncode == 0, ran.stdout[-12_000:] + ran.stderr[-2_000:]
