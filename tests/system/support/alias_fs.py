"""A file system whose files have second names, as on FAT and NTFS (CLAUDE~1 for .claude) and on
ext4 with casefold (other letter case, ligatures, ignored characters). It shows a directory of
the host, through the protocol of /dev/fuse (linux/fuse.h, version 7.31). Root mounts it.

    with AliasFs(backing, mount_point): ...
"""

import ctypes
import errno
import os
import pathlib
import stat
import struct
import subprocess
import threading

LOOKUP, FORGET, GETATTR, SETATTR, READLINK, SYMLINK, MKNOD, MKDIR, UNLINK, RMDIR = 1, 2, 3, 4, 5, 6, 8, 9, 10, 11
RENAME, LINK, OPEN, READ, WRITE, STATFS, RELEASE, FLUSH = 12, 13, 14, 15, 16, 17, 18, 25
INIT, OPENDIR, READDIR, RELEASEDIR, CREATE, INTERRUPT, BATCH_FORGET, RENAME2 = 26, 27, 28, 29, 35, 36, 42, 45
UNANSWERED = (FORGET, INTERRUPT, BATCH_FORGET)
HEADER = struct.Struct("<IIQQIIII")
ROOT = 1
IGNORED = {0xAD, 0x34F, 0xFEFF, *range(0x200B, 0x2010), *range(0x2060, 0x2070), *range(0xFE00, 0xFE10)}
libc = ctypes.CDLL(None, use_errno=True)


def fold(name):
    return "".join(c for c in name if ord(c) not in IGNORED).casefold()


def short_name(name):
    stem, dot, kind = name.lstrip(".").rpartition(".")
    stem = stem if dot else kind
    kind = kind[:3] if dot else ""
    return (stem[:6] + "~1" + (f".{kind}" if kind else "")).upper()


class AliasFs:
    def __init__(self, backing, mount_point):
        self.backing, self.mount_point = pathlib.Path(backing), pathlib.Path(mount_point)
        self.paths = {ROOT: self.backing}
        self.files, self.next_file = {}, 1

    def __enter__(self):
        # A vfork(2) child stops all threads of Python until it has changed its directory, and this
        # thread must answer that call.
        subprocess._USE_VFORK = False
        self.device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        options = f"fd={self.device},rootmode=40000,user_id=0,group_id=0,allow_other,default_permissions"
        if libc.mount(b"alias", os.fsencode(self.mount_point), b"fuse", 0, options.encode()) != 0:
            code = ctypes.get_errno()
            os.close(self.device)
            raise OSError(code, "mount(fuse)")
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        subprocess._USE_VFORK = True
        libc.umount2(os.fsencode(self.mount_point), 2)  # MNT_DETACH
        self.thread.join(10)
        os.close(self.device)

    def serve(self):
        while True:
            try:
                request = os.read(self.device, 1 << 20)
            except OSError as error:
                if error.errno in (errno.EINTR, errno.EAGAIN, errno.ENOENT):
                    continue
                return  # ENODEV: not mounted any more
            _, call, unique, node, user, group, _, _ = HEADER.unpack_from(request)
            if call in UNANSWERED:
                continue
            try:
                answer, code = self.answer(call, node, request[HEADER.size:], (user, group)), 0
            except OSError as error:
                answer, code = b"", -error.errno
            try:
                os.write(self.device, struct.pack("<IiQ", 16 + len(answer), code, unique) + answer)
            except OSError:
                pass  # the caller has exited

    # -- names ---------------------------------------------------------------------------------

    def child(self, node, name):
        """The path of a name in any spelling, or a new path if there is none."""
        folder = self.paths[node]
        for entry in os.listdir(folder):
            if fold(entry) == fold(name) or short_name(entry) == name.upper():
                return folder / entry
        return folder / name

    def attributes(self, path):
        facts = os.lstat(path)
        return struct.pack(
            "<QQQQQQIIIIIIIIII", facts.st_ino, facts.st_size, facts.st_blocks, int(facts.st_atime),
            int(facts.st_mtime), int(facts.st_ctime), 0, 0, 0, facts.st_mode, facts.st_nlink,
            facts.st_uid, facts.st_gid, 0, 4096, 0)

    def entry(self, path):
        node = os.lstat(path).st_ino
        if node == os.lstat(self.backing).st_ino:
            node = ROOT
        self.paths[node] = path
        return struct.pack("<QQQQII", node, 0, 0, 0, 0, 0) + self.attributes(path)

    def made(self, path, owner):
        os.chown(path, *owner, follow_symlinks=False)
        return self.entry(path)

    # -- calls ---------------------------------------------------------------------------------

    def answer(self, call, node, body, owner):
        names = {LOOKUP: self.lookup, SYMLINK: self.symlink, MKNOD: self.mknod, MKDIR: self.mkdir,
                 UNLINK: self.unlink, RMDIR: self.rmdir, RENAME: self.rename, RENAME2: self.rename2,
                 LINK: self.link, CREATE: self.create}
        if call in names:
            return names[call](node, body, owner)
        plain = {INIT: self.init, GETATTR: self.getattr, SETATTR: self.setattr, READLINK: self.readlink,
                 OPEN: self.open, OPENDIR: self.opendir, READ: self.read, READDIR: self.readdir,
                 WRITE: self.write, STATFS: self.statfs, RELEASE: self.release,
                 RELEASEDIR: self.opendir_end, FLUSH: self.opendir_end}
        if call not in plain:
            raise OSError(errno.ENOSYS, "")
        return plain[call](node, body)

    @staticmethod
    def name_in(body, offset=0):
        return os.fsdecode(body[offset:body.index(b"\0", offset)])

    def init(self, _node, _body):
        return struct.pack("<IIIIHHIIHHI28x", 7, 31, 65536, 0, 16, 12, 65536, 1, 0, 0, 0)

    def lookup(self, node, body, _owner):
        path = self.child(node, self.name_in(body))
        os.lstat(path)
        return self.entry(path)

    def getattr(self, node, _body):
        return struct.pack("<QII", 0, 0, 0) + self.attributes(self.paths[node])

    def setattr(self, node, body):
        valid, _, _, size = struct.unpack_from("<IIQQ", body)
        mode, _, user, group = struct.unpack_from("<IIII", body, 68)
        path = self.paths[node]
        if valid & 1:
            os.chmod(path, stat.S_IMODE(mode))
        if valid & 6:
            os.chown(path, user if valid & 2 else -1, group if valid & 4 else -1)
        if valid & 8:
            os.truncate(path, size)
        return self.getattr(node, b"")

    def readlink(self, node, _body):
        return os.fsencode(os.readlink(self.paths[node]))

    def symlink(self, node, body, owner):
        path = self.child(node, self.name_in(body))
        os.symlink(self.name_in(body, body.index(b"\0") + 1), path)
        return self.made(path, owner)

    def mknod(self, node, body, owner):
        mode, device = struct.unpack_from("<II", body)
        path = self.child(node, self.name_in(body, 16))
        os.mknod(path, mode, device)
        return self.made(path, owner)

    def mkdir(self, node, body, owner):
        path = self.child(node, self.name_in(body, 8))
        os.mkdir(path, struct.unpack_from("<I", body)[0] & 0o777)
        return self.made(path, owner)

    def unlink(self, node, body, _owner):
        os.unlink(self.child(node, self.name_in(body)))
        return b""

    def rmdir(self, node, body, _owner):
        os.rmdir(self.child(node, self.name_in(body)))
        return b""

    def rename(self, node, body, _owner, offset=8):
        old = self.name_in(body, offset)
        new = self.name_in(body, body.index(b"\0", offset) + 1)
        source = self.child(node, old)
        target = self.child(struct.unpack_from("<Q", body)[0], new)
        os.rename(source, target)
        for known, path in self.paths.items():
            if path == source or source in path.parents:
                self.paths[known] = target / path.relative_to(source)
        return b""

    def rename2(self, node, body, owner):
        return self.rename(node, body, owner, 16)

    def link(self, node, body, _owner):
        path = self.child(node, self.name_in(body, 8))
        os.link(self.paths[struct.unpack_from("<Q", body)[0]], path)
        return self.entry(path)

    def create(self, node, body, owner):
        flags, mode = struct.unpack_from("<II", body)
        path = self.child(node, self.name_in(body, 16))
        file = os.open(path, (flags & ~os.O_NOFOLLOW) | os.O_CREAT, mode & 0o7777)
        return self.made(path, owner) + self.opened(file)

    def opened(self, file):
        number, self.next_file = self.next_file, self.next_file + 1
        self.files[number] = file
        return struct.pack("<QII", number, 0, 0)

    def open(self, node, body):
        flags = struct.unpack_from("<I", body)[0]
        return self.opened(os.open(self.paths[node], flags & (os.O_ACCMODE | os.O_APPEND | os.O_TRUNC)))

    def opendir(self, _node, _body):
        return struct.pack("<QII", 0, 0, 0)

    def opendir_end(self, _node, _body):
        return b""

    def read(self, _node, body):
        number, offset, size = struct.unpack_from("<QQI", body)
        return os.pread(self.files[number], size, offset)

    def write(self, _node, body):
        number, offset, size = struct.unpack_from("<QQI", body)
        return struct.pack("<II", os.pwrite(self.files[number], body[40:40 + size], offset), 0)

    def release(self, _node, body):
        os.close(self.files.pop(struct.unpack_from("<Q", body)[0]))
        return b""

    def readdir(self, node, body):
        _, offset, size = struct.unpack_from("<QQI", body)
        answer = b""
        for number, entry in enumerate(sorted(os.listdir(self.paths[node])), 1):
            path = self.paths[node] / entry
            name = os.fsencode(entry)
            record = struct.pack("<QQII", os.lstat(path).st_ino, number, len(name),
                                 os.lstat(path).st_mode >> 12) + name
            record += b"\0" * (-len(record) % 8)
            if number > offset and len(answer) + len(record) <= size:
                answer += record
        return answer

    def statfs(self, _node, _body):
        return struct.pack("<QQQQQIII", 1 << 20, 1 << 19, 1 << 19, 1 << 20, 1 << 19, 4096, 255, 4096) + b"\0" * 28
