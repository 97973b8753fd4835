"""Makes the pictures of the README from the demo, by one command: `python docs/images/make.py`.

Starts `steelyard demo` on a free port with data of its own and looks at it with Chromium
(`$STEELYARD_CHROMIUM`, else `chromium` on the path).
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
PICTURES = (
    ("overview.png", "/overview", "light"),
    ("overview-dark.png", "/overview", "dark"),
    ("disagreements.png", "/disagreements?kind=false_citation", "light"),
)
WIDTH, HEIGHT = 1280, 960
LINK = re.compile(r"(http://\S+)/login\?token=(\S+)")


def main() -> None:
    chromium = os.environ.get("STEELYARD_CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        raise SystemExit("no Chromium here: install the package chromium, or set STEELYARD_CHROMIUM")
    command = [sys.executable, "-m", "steelyard.cli", "demo", "--port", "0"]
    with tempfile.TemporaryDirectory() as data:
        demo = subprocess.Popen(  # noqa: S603 - our own program
            [*command, "--data", data], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
        )
        try:
            url, token = wait_for_link(demo)
            take(chromium, url, token)
        finally:
            demo.terminate()
            demo.wait(30)


def wait_for_link(demo: "subprocess.Popen[str]") -> tuple[str, str]:
    """The server's address and login token, once the demo has printed them."""
    assert demo.stdout is not None
    for line in demo.stdout:
        if found := LINK.search(line):
            return found[1], found[2]
    raise SystemExit("the demo ended without a login link")


def take(chromium: str, url: str, token: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--disable-gpu", "--disable-background-networking"]
        )
        context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT})
        page = context.new_page()
        page.goto(f"{url}/login?token={token}")
        for name, path, scheme in PICTURES:
            page.emulate_media(color_scheme=scheme)
            page.goto(url + path)
            page.screenshot(path=HERE / name)
            print(HERE / name)
        browser.close()


if __name__ == "__main__":
    main()
