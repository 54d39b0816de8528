"""Programs for 32-bit ARM, which a kernel for arm64 runs: their calls have other numbers."""

import struct

# creat("ran", 0700); _exit(0)
CODE = struct.pack("<7I", 0xe3a07008, 0xe28f0010, 0xe3a01d07, 0xef000000, 0xe3a07001, 0xe3a00000, 0xef000000) + b"ran\0"
BASE, BEGIN = 0x10000, 84
PROGRAM = struct.pack("<16s2H5I6H", b"\x7fELF\1\1\1", 2, 40, 1, BASE + BEGIN, 52, 0, 0x5000200, 52, 32, 1, 40, 0, 0) + \
    struct.pack("<8I", 1, 0, BASE, BASE, BEGIN + len(CODE), BEGIN + len(CODE), 5, BASE) + CODE


def a_program_for_32_bits_makes_no_call(home):
    program = home.project / "for-32-bits"
    program.write_bytes(PROGRAM)
    program.chmod(0o755)
    ran = home.project / "ran"
    home.policy()
    done = home.start(program)
    assert done.returncode == 0 and ran.exists(), done
    ran.unlink()
    for layers in ("full", "landlock"):
        done = home.run(program, layers=layers)
        assert done.returncode == 137 and not ran.exists(), done
        assert "the sandbox runs no 32-bit programs" in done.stderr, done


CASES = (a_program_for_32_bits_makes_no_call,)
