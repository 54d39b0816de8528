"""Paths of the sources and the fixtures."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
