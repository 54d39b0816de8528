"""Debian's kernel packages, through apt: downloaded, never installed."""

import os
import pathlib
import re
import subprocess

import machine

META_PACKAGE = "linux-image-cloud"  # and the architecture
MIRROR = "http://deb.debian.org/debian"


def own_suite():
    """The suite of this machine, "bookworm"."""
    text = pathlib.Path("/etc/os-release").read_text()
    found = re.search(r"^VERSION_CODENAME=(\w+)$", text, re.MULTILINE)
    return found[1] if found else ""


def own_mirror():
    """The sources of this machine's packages."""
    folder = pathlib.Path("/etc/apt")
    for path in [folder / "sources.list", *folder.glob("sources.list.d/*")]:
        lines = path.read_text().splitlines() if path.is_file() else ()
        for line in lines:
            found = re.match(r"(?:deb|URIs:)\s.*?(\w+://\S+/debian)/?(?:\s|$)", line)
            if found:
                return found[1]
    return MIRROR


def options_of(suite, architecture, folder):
    """apt's options for a suite or an architecture that this machine does not have, with separate
    package lists."""
    if suite == own_suite() and architecture == "amd64":
        return []
    lists = folder / "lists"
    (lists / "partial").mkdir(parents=True, exist_ok=True)
    keys = "/usr/share/keyrings/debian-archive-keyring.gpg"
    sources = folder / "sources.list"
    sources.write_text(f"deb [signed-by={keys}] {own_mirror()} {suite} main\n")
    return [f"-oDir::Etc::sourcelist={sources}", "-oDir::Etc::sourceparts=-",
            f"-oAPT::Architecture={architecture}", f"-oAPT::Architectures::={architecture}",
            f"-oDir::State::lists={lists}", "-oAcquire::Languages=none",
            f"-oDir::Cache::pkgcache={folder}/pkgcache.bin", "-oDir::Cache::srcpkgcache="]


def newest_of(meta, options):
    """The kernel on which the suite's meta package depends; "" if apt does not know one."""
    done = subprocess.run(["apt-cache", *options, "depends", meta], capture_output=True,
                          text=True, check=False)
    found = re.search(r"Depends: (linux-image-\S+?)(?::\w+)?$", done.stdout, re.MULTILINE)
    return found[1] if found else ""


def fetch(suite, architecture, cache):
    """The package of the suite's kernel, which stays in `cache`."""
    folder = pathlib.Path(cache).resolve() / (suite if architecture == "amd64" else f"{suite}-{architecture}")
    folder.mkdir(parents=True, exist_ok=True)
    options = options_of(suite, architecture, folder)
    meta = f"{META_PACKAGE}-{architecture}"
    if not newest_of(meta, options):
        machine.run("apt-get", *options, "-q", "update")
    name = newest_of(meta, options)
    if not name:
        raise RuntimeError(f"{suite} has no {meta}")
    if not list(folder.glob(f"{name}_*.deb")):
        for path in folder.glob("*.deb"):
            os.unlink(path)
        try:
            machine.run("apt-get", *options, "-q", "download", name, cwd=folder)
        except RuntimeError:  # the list is older than the mirror
            machine.run("apt-get", *options, "-q", "update")
            name = newest_of(meta, options)
            machine.run("apt-get", *options, "-q", "download", name, cwd=folder)
    return next(folder.glob(f"{name}_*.deb"))
