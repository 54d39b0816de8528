"""System calls that Python does not have: keys, System V shared memory, mount namespaces."""

import ctypes
import os
import platform

LIBC = ctypes.CDLL(None, use_errno=True)
ADD_KEY, KEYCTL = (248, 250) if platform.machine() == "x86_64" else (217, 219)
JOIN_SESSION_KEYRING, UNLINK, SEARCH = 1, 9, 10
SESSION_KEYRING = -3
IPC_CREAT, IPC_EXCL, IPC_RMID = 0o1000, 0o2000, 0
CLONE_NEWNS, MS_REC, MS_PRIVATE = 0x20000, 0x4000, 1 << 18

LIBC.shmat.restype = ctypes.c_void_p
LIBC.shmdt.argtypes = [ctypes.c_void_p]


def checked(result):
    if result == -1:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result


class SessionKey:
    """A new session keyring for this process, with one key; its children inherit both."""

    def __init__(self, secret):
        checked(LIBC.syscall(KEYCTL, JOIN_SESSION_KEYRING, None))
        self.serial = checked(LIBC.syscall(ADD_KEY, b"user", b"ringfence-secret", secret,
                                           len(secret), SESSION_KEYRING))

    def taken_out(self, name):
        """True if the key exists; removes it."""
        serial = LIBC.syscall(KEYCTL, SEARCH, SESSION_KEYRING, b"user", name.encode(), 0)
        if serial != -1:
            LIBC.syscall(KEYCTL, UNLINK, serial, SESSION_KEYRING)
        return serial != -1


class SharedMemory:
    """A System V segment of this process."""

    def __init__(self, key):
        self.key = key
        self.segment = checked(LIBC.shmget(key, 4096, IPC_CREAT | IPC_EXCL | 0o600))
        self.address = LIBC.shmat(self.segment, None, 0)

    def taken_out(self):
        """Returns the text that was written there, and removes it."""
        text = ctypes.string_at(self.address)
        ctypes.memset(self.address, 0, 4096)
        return text

    def close(self):
        LIBC.shmdt(self.address)
        LIBC.shmctl(self.segment, IPC_RMID, None)


def own_mounts():
    """Between fork and exec: other processes do not see what root mounts and unmounts."""
    checked(LIBC.unshare(CLONE_NEWNS))
    checked(LIBC.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None))
