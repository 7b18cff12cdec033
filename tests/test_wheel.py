"""A built wheel, installed elsewhere, has all that it needs: pages, migrations, sample businesses."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).parents[1]
SOURCES = ("bot", "tools", "models", "templates", "pyproject.toml", "README.md", "LICENSE")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which the wheel was unpacked; the sources are built from a copy."""
    folder = tmp_path_factory.mktemp("wheel")
    copy = folder / "source"
    copy.mkdir()
    for name in SOURCES:
        (copy / name).symlink_to(ROOT / name)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    build = [*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", str(folder), str(copy)]
    subprocess.run(build, check=True, capture_output=True)
    [wheel] = folder.glob("horacerta-*.whl")
    site = folder / "site"
    subprocess.run([*pip, "install", "--no-deps", "--target", str(site), str(wheel)], check=True)
    return site


def test_wheel_has_every_page_and_sound(installed: Path) -> None:
    """A kind of file that pyproject.toml does not name would be missing."""
    wanted = [path for path in (ROOT / "templates").rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert [path for path in wanted if not (installed / path.relative_to(ROOT)).exists()] == []


@pytest.mark.timeout(240)
def test_wheel_serves_pages_and_migrates(installed: Path, tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(installed)}
    where = subprocess.run(
        [sys.executable, "-c", "import bot; print(bot.__file__)"],
        cwd=tmp_path,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    assert where.stdout.startswith(str(installed))
    command = [sys.executable, "-m", "bot", "demo", "--port", str(port)]
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL) as process:
        try:
            for page in (
                "/demo",
                "/entrar",
                "/healthz",
                "/static/staff.css",
                "/static/demo.js",
                "/static/staff/main.js",
            ):
                assert answer(f"http://127.0.0.1:{port}{page}").status_code == 200
        finally:
            process.terminate()
    assert process.returncode == 0


def answer(url: str) -> httpx.Response:
    deadline = time.monotonic() + 60
    while True:
        try:
            return httpx.get(url, trust_env=False)
        except httpx.TransportError:
            assert time.monotonic() < deadline
            time.sleep(0.1)
