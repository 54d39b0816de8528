"""A virtual machine with a Debian kernel, for tests that depend on the kernel.

The root file system contains Python, a few programs and the tests, all copied from this machine; for
arm64 see foreign.py. QEMU emulates the processor, so neither KVM nor special rights are needed.
"""

import collections
import lzma
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

os.environ["PATH"] += ":/usr/sbin:/sbin"
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
PYTHON = "/usr/bin/python3"
# Modules of Python's library that no test needs; they are left out.
UNUSED = ("test", "idlelib", "lib2to3", "tkinter", "ensurepip", "turtledemo", "pydoc_data",
          "dist-packages", "site-packages", "distutils", "config-*", "asyncio", "venv")
PROGRAMS = ("dash", "sh", "true", "false", "touch", "dd", "env", "cat", "sleep", "id", "mkdir",
            "rm", "ls", "kill", "chmod", "cut", "head", "tail", "apparmor_parser",
            "dirname", "install", "mktemp", "mv")
FOLDERS = ("dev", "etc", "home", "proc", "root", "run", "srv", "sys", "tests", "tmp", "usr/bin",
           "usr/lib", "usr/lib64", "usr/sbin", "var/tmp")
# Modules for the disks, the network and stages; their dependencies are added.
MODULES = ("virtio_pci", "virtio_blk", "nls_cp437", "nls_ascii", "vfat", "veth", "overlay")
WANTED = ("./boot/vmlinuz-*", "*/kernel/drivers/virtio/*", "*/kernel/drivers/block/virtio_blk.ko*",
          "*/kernel/drivers/net/veth.ko*", "*/kernel/fs/fat/*", "*/kernel/fs/overlayfs/*",
          "*/kernel/fs/nls/nls_cp437.ko*", "*/kernel/fs/nls/nls_ascii.ko*")
SECONDS = 600
# QEMU's command, the kernel's device for messages and that for the output of the tests, and QEMU's
# options that make them, in this order, of two chardevs: console and output.
Machine = collections.namedtuple("Machine", "command console output serial")
AMD64 = Machine(("qemu-system-x86_64", "-machine", "q35,accel=tcg", "-cpu", "max"), "ttyS0", "ttyS1",
                ("-serial", "chardev:console", "-serial", "chardev:output"))
# Without pointer authentication, which takes half of the time to emulate.
ARM64 = Machine(("qemu-system-aarch64", "-machine", "virt,accel=tcg", "-cpu", "cortex-a76"), "ttyAMA0", "ttyS0",
                ("-serial", "chardev:console", "-device", "pci-serial,chardev=output"))
IMAGE_SIZE = "1G"  # sparse


def run(*command, **options):
    """The output of a command; on failure, raises an error that contains it."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout


def needed(program):
    path = shutil.which(program)
    if not path:
        raise FileNotFoundError(f"{program} is not installed")
    return path


# -- the kernel -----------------------------------------------------------------------------------

class Kernel:
    """The files of a kernel package that the machine needs, unpacked into `folder`."""

    def __init__(self, package, folder, host=AMD64, busybox="busybox"):
        self.machine, self.busybox = host, needed(busybox)
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True)
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package],
                              stdout=subprocess.PIPE) as packed:
            run("tar", "-x", "-C", self.folder, "--wildcards", *WANTED, stdin=packed.stdout)
        self.image = next(self.folder.glob("boot/vmlinuz-*"))

    def module(self, name):
        """The bytes of a module; b"" if it is built into the kernel."""
        for path in self.folder.rglob(f"{name}.ko*"):
            if path.suffix == ".xz":
                return lzma.decompress(path.read_bytes())
            if path.suffix == ".zst":
                return subprocess.run(["zstd", "-dc", path], check=True,
                                      capture_output=True).stdout
            return path.read_bytes()
        return b""

    def modules(self, names=MODULES):
        """(name, bytes) of these modules, each after its dependencies."""
        found = {}
        for name in names:
            content = self.module(name)
            needs = re.search(rb"\0depends=([^\0]+)\0", content)
            found.update(self.modules(needs[1].decode().split(",")) if needs else {})
            if content:
                found[name] = content
        return found


def make_ram_disk(kernel, folder):
    """The initial RAM disk: busybox, the modules for the disk, and init."""
    tree = pathlib.Path(folder) / "ram-disk"
    for name in ("bin", "dev", "modules", "new", "proc", "sys"):
        (tree / name).mkdir(parents=True)
    shutil.copy(kernel.busybox, tree / "bin/busybox")
    shutil.copy(HERE / "init", tree / "init")
    for number, (name, content) in enumerate(kernel.modules().items()):
        (tree / f"modules/{number:02}-{name}.ko").write_bytes(content)
    disk = tree.with_suffix(".cpio")
    names = "\n".join(str(path.relative_to(tree)) for path in sorted(tree.rglob("*")))
    with open(disk, "wb") as file:
        subprocess.run(["cpio", "-o", "-H", "newc", "--quiet", "-R", "0:0"], cwd=tree, check=True,
                       input=names.encode(), stdout=file)
    return disk


# -- the root file system ---------------------------------------------------------------------------

def libraries_of(program):
    """The shared libraries of a program, and the loader."""
    done = subprocess.run(["ldd", program], capture_output=True, text=True, check=False)
    return re.findall(r"(/\S+) \(0x", done.stdout)


class Tree:
    """The files of the root file system, in a directory of this machine."""

    def __init__(self, folder):
        self.root = pathlib.Path(folder)
        for name in FOLDERS:
            (self.root / name).mkdir(parents=True)
        for name in ("bin", "lib", "lib64", "sbin"):
            (self.root / name).symlink_to(f"usr/{name}")
        for name in ("tmp", "var/tmp"):
            (self.root / name).chmod(0o1777)
        (self.root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
        (self.root / "etc/group").write_text("root:x:0:\n")
        shutil.copy(HERE / "init", self.root / "init")
        self.fill()

    def fill(self):
        shutil.copy(needed("busybox"), self.root / "usr/bin/busybox")
        for program in PROGRAMS:
            self.add(needed(program))
        self.add_python()

    def add_test(self, program):
        """A program under test."""
        shutil.copy(program, self.root / "tests")
        self.copy(*libraries_of(program))

    def place(self, path):
        """The destination of a file of this machine; /lib is /usr/lib."""
        path = pathlib.Path(path)
        parts = path.parts[1:]
        if parts[0] in ("bin", "lib", "lib64", "sbin"):
            parts = ("usr", *parts)
        place = self.root.joinpath(*parts)
        place.parent.mkdir(parents=True, exist_ok=True)
        return place

    def add(self, program):
        """A program with its libraries."""
        self.copy(program, *libraries_of(program))

    def copy(self, *paths):
        for path in paths:
            if not self.place(path).exists():
                shutil.copy(path, self.place(path))

    def add_python(self):
        self.add(PYTHON)
        library = run(PYTHON, "-c", "import sysconfig; print(sysconfig.get_path('stdlib'))").strip()
        shutil.copytree(library, self.place(library), symlinks=True, dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns(*UNUSED))
        for module in self.place(library).glob("lib-dynload/*.so"):
            self.copy(*libraries_of(module))


def make_root(tree, programs):
    """An image of the tree with the tests, and `programs` beside them."""
    for path in (*HERE.parent.glob("support/*.py"), HERE / "escape_inside.py", ROOT / "packaging/apparmor.sh"):
        shutil.copy(path, tree.root / "tests")
    for program in programs:
        tree.add_test(program)
    shutil.copytree(HERE, tree.root / "tests/kernels",
                    ignore=shutil.ignore_patterns("__pycache__"))
    image = tree.root.with_suffix(".image")
    run("mke2fs", "-q", "-t", "ext4", "-O", "^has_journal", "-E", "root_owner=0:0", "-d", tree.root,
        image, IMAGE_SIZE)
    shutil.rmtree(tree.root)
    return image


def make_disks(folder):
    """Empty disks for spellings.py: FAT, and ext4 whose directories can ignore letter case."""
    fat, casefold = (pathlib.Path(folder) / f"{name}.image" for name in ("fat", "casefold"))
    for image in (fat, casefold):
        image.touch()
        os.truncate(image, 64 << 20)
    run(needed("busybox"), "mkdosfs", fat)
    run("mke2fs", "-q", "-t", "ext4", "-O", "casefold,^has_journal", "-E", "encoding=utf8", casefold)
    return [fat, casefold]


# -- running ----------------------------------------------------------------------------------------

def boot(kernel, disks, words, options="", seconds=SECONDS):
    """Boots with these kernel options from the first disk and runs inside.py with these
    arguments; the disks do not change. Returns the output of the tests and of the kernel."""
    with tempfile.TemporaryDirectory(prefix="ringfence-kernel-") as folder:
        host = kernel.machine
        ram_disk = make_ram_disk(kernel, folder)
        output, console = pathlib.Path(folder) / "output", pathlib.Path(folder) / "console"
        line = " ".join([f"console={host.console} output={host.output} quiet panic=-1 mitigations=off",
                         options, *(f"tests={word}" for word in words)])
        command = [*host.command, "-smp", "1",
                   "-m", "2048", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
                   "-kernel", kernel.image, "-initrd", ram_disk, "-append", line,
                   *(word for disk in disks
                     for word in ("-drive", f"file={disk},format=raw,if=virtio,snapshot=on")),
                   "-chardev", f"file,id=console,path={console}", "-chardev", f"file,id=output,path={output}",
                   *host.serial]
        try:
            done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=seconds, check=False)
            problem = done.stderr.strip()
        except subprocess.TimeoutExpired:
            problem = f"no end within {seconds} s"
        texts = [path.read_text(errors="replace") if path.exists() else ""
                 for path in (output, console)]
        return texts[0], f"{texts[1][-3000:]}\n{problem}".strip()
