"""Where the sources and the fixtures are."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
