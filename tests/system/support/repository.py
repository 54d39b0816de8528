"""Paths of the sources and the fixtures, and the version."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[3]
VERSION = re.search(r"^project\(ringfence VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
