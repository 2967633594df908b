"""On what was this measured? Processor, memory, system and the versions that matter, in a few lines."""

import os
import platform
import subprocess
from pathlib import Path

import django

from tests import machine

_load = os.getloadavg()[0]


def describe() -> list[tuple[str, str]]:
    """Return what to print above every table: pairs of a name and its value."""
    return [
        ("Processor", f"{_processor()}, {os.cpu_count()} cores"),
        ("Memory", f"{_memory()} GiB"),
        ("System", f"{_system()}, Linux {platform.release()}" if platform.system() == "Linux" else platform.platform()),
        ("Python", platform.python_version()),
        ("Django", django.get_version()),
        ("PostgreSQL", _version(f"{machine.postgres()}/postgres") if machine.postgres() else "none"),
        ("Redis", _redis()),
        ("Load when it began", f"{_load:.1f} processes; above one, somebody else was measured, too"),
    ]


def _lines(path: str) -> list[str]:
    file = Path(path)
    return file.read_text().splitlines() if file.exists() else []


def _processor() -> str:
    names = [line.split(":", 1)[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")]
    return f"{names[0] if names else platform.processor() or 'unknown'} ({platform.machine()})"


def _memory() -> str:
    pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return f"{pages * size / 2**30:.0f}"


def _system() -> str:
    values = dict(line.split("=", 1) for line in _lines("/etc/os-release") if "=" in line)
    return values.get("PRETTY_NAME", platform.system()).strip('"')


def _version(program: str) -> str:
    printed = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
    return printed.strip().removeprefix("postgres (PostgreSQL) ")


def _redis() -> str:
    program = machine.redis()
    if not program:
        return "none"
    words = _version(program).split()
    return next((word.removeprefix("v=") for word in words if word.startswith("v=")), "unknown")
