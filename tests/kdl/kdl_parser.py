"""A third-party KDL 1.0 parser: kdljs, from npm, at the versions and digests of
package-lock.json. Downloaded once, into ${XDG_CACHE_HOME:-~/.cache}/ringfence-tests/.
"""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


class Unavailable(Exception):
    """The parser is not available; the text says why."""


def _cache():
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    lock = hashlib.sha256((HERE / "package-lock.json").read_bytes()).hexdigest()[:12]
    return pathlib.Path(caches) / "ringfence-tests" / f"kdljs-{lock}"


def _fetch(folder):
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as place:
        for file in ("package.json", "package-lock.json"):
            shutil.copy(HERE / file, place)
        install = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
        try:
            done = subprocess.run(install, cwd=place, capture_output=True, text=True, timeout=300)
        except subprocess.TimeoutExpired as error:
            raise Unavailable("npm ci took too long") from error
        if done.returncode:
            raise Unavailable(f"npm ci failed: {(done.stderr.strip().splitlines() or ['no reason'])[-1]}")
        try:
            os.rename(pathlib.Path(place) / "node_modules", folder)
        except OSError:  # another process was faster
            if not folder.is_dir():
                raise


def parse(texts):
    """For each text, its nodes as dictionaries, or None if it is not valid KDL."""
    for program in ("node", "npm"):
        if not shutil.which(program):
            raise Unavailable(f"{program} is not installed")
    modules = _cache()
    if not modules.is_dir():
        _fetch(modules)
    done = subprocess.run(["node", HERE / "parse.js"], input=json.dumps(texts), text=True,
                          capture_output=True, timeout=300, check=False,
                          env={**os.environ, "NODE_PATH": str(modules)})
    if done.returncode:
        raise Unavailable(f"node failed: {done.stderr[-300:]}")
    return json.loads(done.stdout)
