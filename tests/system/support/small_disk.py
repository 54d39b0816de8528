"""A small file system that fills up."""

import contextlib
import os
import shutil
import subprocess

import pytest

MIB = 1 << 20


@contextlib.contextmanager
def small_disk(base, place, mib):
    """Mounts a new file system of this size there: ext4 in a file, or else a tmpfs."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small file system")
    image = base / f"{place.name}.img"
    with open(image, "wb") as file:
        file.truncate(mib * MIB)
    place.mkdir(parents=True, exist_ok=True)
    owner = place.stat()
    made = shutil.which("mkfs.ext4") and subprocess.run(["mkfs.ext4", "-q", "-F", "-m", "0", image], check=False)
    mounted = made and made.returncode == 0 and subprocess.run(
        ["mount", "-o", "loop", image, place], capture_output=True, check=False).returncode == 0
    if not mounted and subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={mib}M", "none", place],
                                      capture_output=True, check=False).returncode != 0:
        pytest.skip("this system cannot mount a file system")
    try:
        shutil.rmtree(place / "lost+found", ignore_errors=True)
        os.chown(place, owner.st_uid, owner.st_gid)
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


def fill(folder):
    """Leaves no room for another block. Returns the file to remove."""
    path = folder / "filler"
    with open(path, "wb", buffering=0) as file:
        for size in (MIB, 4096, 1):
            with contextlib.suppress(OSError):
                while True:
                    file.write(b"x" * size)
    return path
