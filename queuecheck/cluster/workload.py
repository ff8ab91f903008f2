"""What a pod of ours does on a real node: run until it is told to end, or end at once.

Three images of one tiny program each, in an archive that a node loads without a registry, made
here from nothing: neither a compiler nor an engine is needed, and the archive is the same to the
byte wherever it is made. *Which* of them a container has says what the container does:

- ``runs``: waits for SIGTERM, then ends with 143, as a shell would report it. It is the first
  process of its container, where a signal that nobody waits for has no effect: so the program
  blocks SIGTERM and waits for it.
- ``succeeds`` and ``fails``: end at once, with 0 and with 1.

The image of ``held`` is in no archive and nowhere else: a container that has it cannot start.
"""

from __future__ import annotations

import hashlib
import io
import json
import struct
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

OURS = "queuecheck.dev/workload"
PROGRAM = "work"
NOBODY = "65534:65534"
MACHINES: Mapping[str, int] = {"amd64": 62, "arm64": 183}  # as an ELF header numbers them
BASE = 0x400000
PAGE = 0x10000
HEADERS = 64 + 56
SIGTERM_SET = struct.pack("<Q", 1 << 14)
TERMINATED = 143
# The exit code of each image's program; None waits for SIGTERM.
IMAGES: Mapping[str, int | None] = {"runs": None, "succeeds": 0, "fails": 1}


class NoProgram(ValueError):
    """Nodes of this kind have no program of ours; the message says which have."""


@dataclass(frozen=True)
class Workload:
    """The images' repository. ``pulled`` is False where they have been loaded onto the nodes."""

    repository: str = OURS
    pulled: bool = False

    @property
    def held(self) -> str:
        """An image that does not exist."""
        return f"{self.repository}:does-not-exist"

    @property
    def runs(self) -> str:
        """Runs until SIGTERM."""
        return f"{self.repository}:runs"

    @property
    def succeeds(self) -> str:
        """Ends with 0."""
        return f"{self.repository}:succeeds"

    @property
    def fails(self) -> str:
        """Ends with 1."""
        return f"{self.repository}:fails"

    @property
    def policy(self) -> str:
        """The containers' imagePullPolicy."""
        return "IfNotPresent" if self.pulled else "Never"


def archive(machine: str, *, repository: str = OURS) -> bytes:
    """The images as ``docker save`` writes them, for nodes of a machine (``amd64``, ``arm64``).

    Raises NoProgram.
    """
    if machine not in MACHINES:
        raise NoProgram(f"no workload for {machine}: there is one for {' and '.join(MACHINES)}")
    files: dict[str, bytes] = {}
    manifest = []
    for tag, code in IMAGES.items():
        layer = _tar({PROGRAM: program(machine, code)}, mode=0o555)
        layer_name = f"{_digest(layer)}/layer.tar"
        config = _config(machine, layer)
        config_name = f"{_digest(config)}.json"
        files |= {layer_name: layer, config_name: config}
        manifest.append(
            {"Config": config_name, "RepoTags": [f"{repository}:{tag}"], "Layers": [layer_name]}
        )
    return _tar({**files, "manifest.json": _json(manifest)}, mode=0o444)


def program(machine: str, code: int | None) -> bytes:
    """A whole program, linked to nothing; ``code`` as in ``IMAGES``."""
    text = _amd64(code) if machine == "amd64" else _arm64(code)
    size = HEADERS + len(text)
    ident = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9)  # 64 bits, little-endian
    header = struct.pack(
        "<16sHHIQQQIHHHHHH",
        *(ident, 2, MACHINES[machine], 1),  # an executable
        *(BASE + HEADERS, 64, 0, 0),  # entry, program headers, no sections
        *(64, 56, 1, 64, 0, 0),
    )
    # One segment, read and executed: the whole file.
    segment = struct.pack("<IIQQQQQQ", 1, 5, 0, BASE, BASE, size, size, PAGE)
    return header + segment + text


def _amd64(code: int | None) -> bytes:
    leave = b"\xb8" + struct.pack("<I", 231) + b"\x0f\x05"  # mov eax, exit_group; syscall
    if code is not None:
        return b"\xbf" + struct.pack("<I", code) + leave  # mov edi, code
    block = (
        b"\xb8\x0e\x00\x00\x00"  # mov eax, rt_sigprocmask
        b"\x31\xff"  # xor edi, edi: SIG_BLOCK
        b"\x48\x8d\x35%s"  # lea rsi, [rip + set]
        b"\x31\xd2"  # xor edx, edx
        b"\x41\xba\x08\x00\x00\x00"  # mov r10d, 8: so large is a set
        b"\x0f\x05"
    )
    wait = (
        b"\xb8\x80\x00\x00\x00"  # mov eax, rt_sigtimedwait
        b"\x48\x8d\x3d%s"  # lea rdi, [rip + set]
        b"\x31\xf6"  # xor esi, esi
        b"\x31\xd2"  # xor edx, edx
        b"\x41\xba\x08\x00\x00\x00"  # mov r10d, 8
        b"\x0f\x05"
        b"\x83\xf8\x0f"  # cmp eax, SIGTERM
        b"\x75\xe3"  # jne wait
    )
    end = b"\xbf" + struct.pack("<I", TERMINATED) + leave
    size = 24 + 29 + len(end)
    # An address is counted from the end of the instruction that has it.
    filled = block % struct.pack("<i", size - 14) + wait % struct.pack("<i", size - 24 - 12)
    return filled + end + SIGTERM_SET


def _arm64(code: int | None) -> bytes:
    call = 0xD4000001  # svc #0

    def number(register: int, value: int) -> int:
        return 0xD2800000 | value << 5 | register  # mov

    def address(register: int, distance: int) -> int:
        return 0x10000000 | (distance & 3) << 29 | (distance >> 2) << 5 | register  # adr

    def words(*instructions: int) -> bytes:
        return struct.pack(f"<{len(instructions)}I", *instructions)

    leave = [number(8, 94), call]  # exit_group
    if code is not None:
        return words(number(0, code), *leave)
    return (
        words(
            *(number(8, 135), number(0, 0)),  # rt_sigprocmask, SIG_BLOCK
            address(1, 16 * 4),
            *(number(2, 0), number(3, 8), call),
            number(8, 137),  # rt_sigtimedwait
            address(0, 11 * 4),
            *(number(1, 0), number(2, 0), number(3, 8), call),
            0xF1003C1F,  # cmp x0, SIGTERM
            0x54000001 | (-7 & 0x7FFFF) << 5,  # b.ne rt_sigtimedwait
            number(0, TERMINATED),
            *leave,
            0xD503201F,  # nop, so that the set is aligned
        )
        + SIGTERM_SET
    )


def _config(machine: str, layer: bytes) -> bytes:
    return _json(
        {
            "architecture": machine,
            "os": "linux",
            "config": {"Entrypoint": [f"/{PROGRAM}"], "User": NOBODY},
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{_digest(layer)}"]},
            "history": [{"created_by": "queuecheck"}],
        }
    )


def _json(value: Mapping[str, object] | Sequence[object]) -> bytes:
    return json.dumps(value, separators=(",", ":"), sort_keys=True).encode()


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _tar(files: Mapping[str, bytes], *, mode: int) -> bytes:
    """Of no time and no owner, so that the same files make the same archive."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), mode
            tar.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()
