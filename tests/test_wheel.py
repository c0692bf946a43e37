"""The wheel: built, and installed into an empty environment outside of the checkout, it works."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def run(*arguments: str | Path, at: Path) -> str:
    ran = subprocess.run(list(map(str, arguments)), cwd=at, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_the_demo_works_from_a_wheel(tmp_path: Path) -> None:
    """With its data, and with no file of the checkout. The libraries are lent: no test installs from a network."""
    run(
        sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index",
        "--wheel-dir", tmp_path, ROOT, at=tmp_path,
    )  # fmt: skip
    venv.create(tmp_path / "env", with_pip=False)
    (site,) = (tmp_path / "env").glob("lib/python*/site-packages")
    (wheel,) = tmp_path.glob("ncf-*.whl")
    run(sys.executable, "-m", "zipfile", "-e", wheel, site, at=tmp_path)
    (site / "lent.pth").write_text(sysconfig.get_paths()["purelib"])
    python = tmp_path / "env/bin/python"
    place = run(python, "-c", "import ncf; print(ncf.__file__)", at=tmp_path)
    assert Path(place.strip()).is_relative_to(tmp_path)
    found = json.loads(run(python, "-m", "ncf", "demo", "--format", "json", "--quiet", at=tmp_path))
    planned = (ROOT / "data/demo/communities.tsv").read_text("utf-8").splitlines()[1:]
    named = {frozenset(row.partition("\t")[2].split()) for row in planned}
    assert len(found["communities"]) > 10
    assert {frozenset(community["sites"]) for community in found["communities"]} <= named
