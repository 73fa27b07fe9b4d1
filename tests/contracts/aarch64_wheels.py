"""Does everything install on a small Arm machine without a compiler?

    make check-aarch64
    python tests/aarch64_wheels.py                  # base, engine and pi, for CPython 3.11 to 3.13
    python tests/aarch64_wheels.py --python 3.13

Asks pip and the index that it is set up with for a wheel (aarch64 or pure) of every dependency, and of what those need
in turn. pip reads environment markers of the machine that it runs on, so the dependencies are followed here, with the
markers of the Arm machine.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests import paths

PYTHONS = ("3.11", "3.12", "3.13")
GLIBC = (17, 24, 26, 27, 28, 31, 34, 35, 36)
"""Of manylinux tags that Raspberry Pi OS 12 and later can use."""

GPU = ("nvidia-", "cuda-", "triton")

EXTRAS = ("", "engine", "pi", "onnx")


def wanted(extra: str) -> list[Requirement]:
    """The direct dependencies of the package, or of one of its extras; an extra of its own counts with what it adds."""
    project = tomllib.loads((paths.REPO / "pyproject.toml").read_text("utf-8"))["project"]
    listed = project["optional-dependencies"][extra] if extra else project["dependencies"]
    found = [Requirement(text) for text in listed]
    narrowed = {canonicalize_name(one.name) for one in found}
    for one in list(found):
        if one.name == project["name"]:
            found.remove(one)
            # What the extra says itself (a narrower version) stands in place of what it takes over.
            taken = [more for name in one.extras for more in wanted(name)]
            found += [more for more in taken if canonicalize_name(more.name) not in narrowed]
    return found


def environment(python: str) -> dict[str, str]:
    """The markers of a Raspberry Pi with this Python."""
    return {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "platform_machine": "aarch64",
        "platform_system": "Linux",
        "sys_platform": "linux",
        "os_name": "posix",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "platform_release": "",
        "platform_version": "",
        "implementation_version": f"{python}.0",
    }


def ask(requirements: list[Requirement], python: str) -> list[dict]:
    """What pip would install of these alone; raises ``CalledProcessError`` where one has no wheel."""
    tags = [f"--platform=manylinux_2_{minor}_aarch64" for minor in GLIBC] + ["--platform=manylinux2014_aarch64"]
    plain = [f"{one.name}{one.specifier}" for one in requirements]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        subprocess.run(
            [
                sys.executable,
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--dry-run",
                "--no-deps",
                "--ignore-installed",
                "--only-binary=:all:",
                "--implementation=cp",
                f"--python-version={python}",
                *tags,
                "--target",
                folder,
                "--report",
                str(report),
                *plain,
            ],
            check=True,
            capture_output=True,
            text=True,
            timeout=600,
        )
        return json.loads(report.read_text("utf-8"))["install"]


def missing(requirements: list[Requirement], python: str) -> list[Requirement]:
    """Those of some requirements that have no wheel."""
    lacking = []
    for one in requirements:
        try:
            ask([one], python)
        except subprocess.CalledProcessError:
            lacking.append(one)
    return lacking


def follow(first: list[Requirement], python: str) -> tuple[dict[str, str], list[str], list[str]]:
    """Every package that would be installed with the file of its wheel, those that have none, and a GPU's libraries.

    The last are named and not asked for: they are gigabytes that no small machine should have.
    """
    here = environment(python)
    files: dict[str, str] = {}
    lacking: list[str] = []
    heavy: set[str] = set()
    waiting = [one for one in first if one.marker is None or one.marker.evaluate({**here, "extra": ""})]
    while waiting:
        try:
            answers = ask(waiting, python)
        except subprocess.CalledProcessError:
            gone = missing(waiting, python)
            if not gone:
                raise
            lacking += [str(one) for one in gone]
            waiting = [one for one in waiting if one not in gone]
            continue
        extras = {canonicalize_name(one.name): one.extras for one in waiting}
        further: dict[str, Requirement] = {}
        for answer in answers:
            name = canonicalize_name(answer["metadata"]["name"])
            files[name] = answer["download_info"]["url"].rpartition("/")[2]
            for text in answer["metadata"].get("requires_dist", []):
                need = Requirement(text)
                asked = ("", *extras.get(name, ()))
                if need.marker is None or any(need.marker.evaluate({**here, "extra": one}) for one in asked):
                    further.setdefault(canonicalize_name(need.name), need)
        heavy |= {name for name in further if name.startswith(GPU)}
        waiting = [need for name, need in further.items() if name not in files and name not in heavy]
    return files, lacking, sorted(heavy)


def main() -> int:
    """Check and print; 1 where a wheel is missing."""
    reader = argparse.ArgumentParser(description="Does every dependency have a wheel for aarch64?")
    reader.add_argument("--python", action="append", choices=PYTHONS)
    bad = 0
    for python in reader.parse_args().python or PYTHONS:
        for extra in EXTRAS:
            files, lacking, heavy = follow(wanted(extra), python)
            pure = sum(file.endswith("-any.whl") for file in files.values())
            made = f"{pure} pure and {len(files) - pure} for aarch64"
            print(f"CPython {python}, {extra or 'base'}: {len(files)} packages, {made}", flush=True)
            if heavy:
                print(f"  brings a GPU's libraries: {', '.join(heavy)}")
            for one in lacking:
                print(f"  no wheel: {one}")
            bad += len(lacking)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
