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

EXTRAS = ("", "engine", "pi")


def direct_dependencies(extra: str) -> list[Requirement]:
    """The direct dependencies of the package or of an extra, which includes those of the extras that it names."""
    project = tomllib.loads((paths.REPO / "pyproject.toml").read_text("utf-8"))["project"]
    listed = project["optional-dependencies"][extra] if extra else project["dependencies"]
    requirements = [Requirement(text) for text in listed]
    narrowed = {canonicalize_name(requirement.name) for requirement in requirements}
    for requirement in list(requirements):
        if requirement.name == project["name"]:
            requirements.remove(requirement)
            # A narrower version in the extra itself replaces that of the extra it names.
            taken = [more for name in requirement.extras for more in direct_dependencies(name)]
            requirements += [more for more in taken if canonicalize_name(more.name) not in narrowed]
    return requirements


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
    plain = [f"{requirement.name}{requirement.specifier}" for requirement in requirements]
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
    """The requirements that have no wheel."""
    lacking = []
    for requirement in requirements:
        try:
            ask([requirement], python)
        except subprocess.CalledProcessError:
            lacking.append(requirement)
    return lacking


def follow(first: list[Requirement], python: str) -> tuple[dict[str, str], list[str], list[str]]:
    """Every package that would be installed with the file of its wheel, those that have none, and a GPU's libraries.

    The last are not looked up: they are gigabytes that no small machine should have.
    """
    markers = environment(python)
    files: dict[str, str] = {}
    lacking: list[str] = []
    heavy: set[str] = set()
    waiting = [need for need in first if need.marker is None or need.marker.evaluate({**markers, "extra": ""})]
    while waiting:
        try:
            answers = ask(waiting, python)
        except subprocess.CalledProcessError:
            gone = missing(waiting, python)
            if not gone:
                raise
            lacking += [str(need) for need in gone]
            waiting = [need for need in waiting if need not in gone]
            continue
        extras = {canonicalize_name(need.name): need.extras for need in waiting}
        dependencies: dict[str, Requirement] = {}
        for answer in answers:
            name = canonicalize_name(answer["metadata"]["name"])
            files[name] = answer["download_info"]["url"].rpartition("/")[2]
            for text in answer["metadata"].get("requires_dist", []):
                need = Requirement(text)
                chosen = ("", *extras.get(name, ()))
                if need.marker is None or any(need.marker.evaluate({**markers, "extra": extra}) for extra in chosen):
                    dependencies.setdefault(canonicalize_name(need.name), need)
        heavy |= {name for name in dependencies if name.startswith(GPU)}
        waiting = [need for name, need in dependencies.items() if name not in files and name not in heavy]
    return files, lacking, sorted(heavy)


def main() -> int:
    """Check and print; 1 where a wheel is missing."""
    reader = argparse.ArgumentParser(description="Does every dependency have a wheel for aarch64?")
    reader.add_argument("--python", action="append", choices=PYTHONS)
    bad = 0
    for python in reader.parse_args().python or PYTHONS:
        for extra in EXTRAS:
            files, lacking, heavy = follow(direct_dependencies(extra), python)
            pure = sum(file.endswith("-any.whl") for file in files.values())
            made = f"{pure} pure and {len(files) - pure} for aarch64"
            print(f"CPython {python}, {extra or 'base'}: {len(files)} packages, {made}", flush=True)
            if heavy:
                print(f"  brings a GPU's libraries: {', '.join(heavy)}")
            for requirement in lacking:
                print(f"  no wheel: {requirement}")
            bad += len(lacking)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
