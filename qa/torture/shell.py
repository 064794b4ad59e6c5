"""Commands that try to get out of the sandbox, to outlive it, or to use up the machine; and commands that may not run at all."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import pickle
import random
import secrets
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from mendbench.errors import BadInput
from mendbench.io.canonical_json import canonical_json
from mendbench.live.shell import ShellLive
from mendbench.model.exchange import Request, Response
from qa.torture.tally import Attempt

LONG = 100
"""At most so many of each kind: all there are."""

PATIENCE_S = 1.5
TOO_LONG_S = 5.0
"""Of the recorder's own time on the processor: how long it waits for one is the machine's doing."""
ORDINARY = 65534
"""The user called nobody."""


@dataclass(kw_only=True)
class Scene:
    """What there is outside: things that no command may read, change, reach or end."""

    outside: Path
    home: Path | None
    token: str = field(default_factory=lambda: secrets.token_hex(12))
    mark: str = field(default_factory=lambda: secrets.token_hex(12))
    victim: subprocess.Popen[bytes] = field(init=False)
    tcp: socket.socket = field(init=False)
    udp: socket.socket = field(init=False)
    abstract: socket.socket = field(init=False)
    named: socket.socket = field(init=False)

    def __enter__(self) -> Self:
        (self.outside / "bait").write_text(self.token)
        (self.outside / "bait").chmod(0o644)
        self.victim = subprocess.Popen(["sleep", "600"], env={"PATH": os.environ["PATH"], "TORTURE": self.token})
        self.tcp, self.udp = socket.create_server(("127.0.0.1", 0)), socket.socket(type=socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.abstract, self.named = (socket.socket(socket.AF_UNIX) for _ in range(2))
        self.abstract.bind(f"\0{self.token}")
        self.named.bind(str(self.outside / "socket"))
        for each in (self.abstract, self.named):
            each.listen()
        for each in (self.tcp, self.udp, self.abstract, self.named):
            each.settimeout(0)
        os.environ["TORTURE_SECRET"] = self.token
        return self

    def __exit__(self, *_raised: object) -> None:
        del os.environ["TORTURE_SECRET"]
        for each in (self.tcp, self.udp, self.abstract, self.named):
            each.close()
        self.victim.kill()
        self.victim.wait()

    @property
    def words(self) -> dict[str, str]:
        """What stands for what in a command."""
        ports = {"tcp": self.tcp.getsockname()[1], "udp": self.udp.getsockname()[1]}
        named = {
            "outside": self.outside,
            "abstract": self.token[:12],
            "rest": self.token[12:],
            "victim": self.victim.pid,
        }
        return {f"@{name}@": str(value) for name, value in {**ports, **named, "mark": self.mark}.items()}

    def broken(self, response: Response | None) -> str | None:
        """Return what an attempt got, if anything."""
        said = response.body.decode("utf-8", "replace") if response is not None else ""
        if self.token in said:
            return f"it read what it must not: {said[:300]}"
        if self.mark in said:
            return f"it says that it got through: {said[:300]}"
        if sorted(each.name for each in self.outside.iterdir()) != ["bait", "socket"]:
            return f"it wrote outside: {sorted(each.name for each in self.outside.iterdir())}"
        if (self.outside / "bait").read_text() != self.token:
            return "it changed a file outside"
        if self.victim.poll() is not None:
            return "it ended a process outside"
        for name, listening in (("tcp", self.tcp), ("abstract", self.abstract), ("named", self.named)):
            with contextlib.suppress(BlockingIOError):
                listening.accept()
                return f"it reached a socket outside ({name})"
        with contextlib.suppress(BlockingIOError):
            self.udp.recv(1)
            return "it reached a socket outside (udp)"
        if left := _running(self.mark):
            return f"it outlived its command: {left}"
        if self.home is not None and (risen := [each for each in self.home.rglob("*") if _setuid(each)]):
            return f"it left a setuid program: {risen[0].name}"
        return None


def _setuid(place: Path) -> bool:
    try:
        return bool(place.lstat().st_mode & (stat.S_ISUID | stat.S_ISGID)) and place.is_file()
    except OSError:
        return False


def _running(token: str) -> list[str]:
    found = []
    for place in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            words = (place / "cmdline").read_bytes() if place.name.isdigit() else b""
            if token.encode() in words and int(place.name) != os.getpid():
                found.append(words.decode("utf-8", "replace"))
    return found


@dataclass(frozen=True, kw_only=True)
class Escape:
    """A command, and what has to come of it beside that nothing outside is touched."""

    kind: str
    command: str
    more: dict[str, Any] = field(default_factory=dict)
    before: str | None = None
    """A command that is run in the same home before it."""
    ends: Callable[[Response], bool] = lambda response: True
    patience_s: float = PATIENCE_S
    home: bool | None = None
    """Whether it needs a home on the disk, or one in memory; None for either."""


def _python(code: str) -> str:
    return f"/usr/bin/python3 - <<'END'\n{code}\nEND"


def _code(response: Response) -> Any:
    return json.loads(response.body).get("exit_code") if response.status == 200 else None


def _bound(*names: str) -> Callable[[Response], bool]:
    """Return whether it was ended at one of these bounds."""
    return lambda response: (
        (response.fault if response.fault == "timeout" else json.loads(response.body).get("bound")) in names
    )


def _silent(response: Response) -> bool:
    return response.status == 200 and json.loads(response.body)["stdout"].strip() == ""


def _refused(response: Response) -> bool:
    return response.status in (400, 403, 409, 413)


def _failed(response: Response) -> bool:
    return _code(response) not in (0, None)


READ, WRITE, NET, SIGNAL = "reading outside", "writing outside", "reaching the network", "signals to others"
BOMB, OUTLIVE, RIGHTS = "using up the machine", "outliving the command", "getting rights"
TRAP, ODD = "traps in the home for the recorder", "commands of odd form"
SAYS = "&& echo @mark@"

ESCAPES = (
    Escape(kind=READ, command="cat /etc/shadow /etc/passwd /etc/hostname /etc/hosts /etc/resolv.conf", ends=_silent),
    Escape(kind=READ, command="ls -A /root /home /var /etc/ssh /run /opt /srv /mnt /sys /boot", ends=_silent),
    Escape(kind=READ, command="cat @outside@/bait"),
    Escape(kind=READ, command="cat /oldroot@outside@/bait /newroot@outside@/bait /proc/*/roo?@outside@/bait /proc/self/roo?/..@outside@/bait"),
    Escape(kind=READ, command="env; cat /proc/*/environ; cat /proc/self/../*/environ"),
    Escape(kind=READ, command="echo $TORTURE_SECRET $TORTURE_GIVEN", more={"env": ["TORTURE_SECRET"]}),
    Escape(kind=READ, command="cat /proc/@victim@/environ /proc/@victim@/cmdline /proc/*/cmdline; ls /proc/@victim@/fd"),
    Escape(kind=READ, command="test $(ls /proc | grep -c '^[0-9]') -lt 8", ends=lambda response: _code(response) == 0),
    Escape(kind=READ, command="ls -l /proc/*/fd/ 2>/dev/null | grep -v -e pipe: -e /dev/null -e /proc/ -e total -e '^$' -e '^/proc' -e anon_inode", ends=_silent),
    Escape(kind=READ, command="cat /proc/kcore /proc/kmsg /dev/mem /dev/kmsg /dev/vda /dev/sda /proc/1/mem | head -c 100", ends=_silent),
    Escape(kind=READ, command="dmesg", ends=_silent),
    Escape(kind=READ, command="cat b", before="ln -s @outside@/bait b", home=True),
    Escape(kind=READ, command="for p in /usr/local/etc /usr/src /usr/etc; do find $p -mindepth 1; done 2>/dev/null", ends=_silent),
    Escape(kind=READ, command=_python(
        "import ctypes\nc = ctypes.CDLL(None, use_errno=True)\n"
        "for keyring in (-1, -2, -3, -4, -5):\n"
        "    held = ctypes.create_string_buffer(4096)\n"
        "    print('' if c.syscall(250, 11, keyring, held, 4096) <= 0 else held.raw.rstrip(b'\\0').hex())")),
    Escape(kind=WRITE, command="echo x > @outside@/made; mkdir -p @outside@/made; rm -rf @outside@"),
    Escape(kind=WRITE, command="for p in /usr /bin /lib /dev / /proc /sys /etc; do touch $p/escaped; mkdir $p/escaped; done 2>/dev/null; ls -d /*/escaped /escaped", ends=_silent),
    Escape(kind=WRITE, command="true", more={"cwd": "../../oldroot@outside@/made"}, ends=_refused),
    Escape(kind=WRITE, command="true", more={"cwd": "../../../../@outside@/made"}, ends=_refused),
    Escape(kind=WRITE, command="true", more={"cwd": "a/../../../oldroot/@outside@/made"}, ends=_refused),
    Escape(kind=WRITE, command="true", before="ln -s /oldroot@outside@ link", more={"cwd": "link/made"}, ends=_refused, home=True),
    Escape(kind=WRITE, command="true", before="ln -s @outside@ link", more={"cwd": "link/made"}, ends=_refused, home=True),
    Escape(kind=WRITE, command="true", before="ln -s ../../../../../../../@outside@ link", more={"cwd": "link/made"}, ends=_refused, home=True),
    Escape(kind=WRITE, command="echo x > link/made; rm -f link/bait", before="ln -s @outside@ link", home=True),
    Escape(kind=WRITE, command="ln @outside@/bait own; ln /usr/bin/env own && echo @mark@"),
    Escape(kind=WRITE, command="mv /sandbox /gone; rmdir /sandbox; rm -rf /sandbox /usr /bin"),
    # what stands there already, so that nothing is changed if it can be
    Escape(kind=WRITE, command="for f in kernel/core_pattern kernel/pid_max vm/overcommit_memory fs/file-max; do cat /proc/sys/$f > held; cat held > /proc/sys/$f && echo @mark@; done"),
    Escape(kind=WRITE, command="for f in /proc/sysrq-trigger /proc/self/oom_score_adj /proc/sys/kernel/sysrq; do : >> $f && echo @mark@; done"),
    Escape(kind=NET, command=_python("import socket\nsocket.create_connection(('127.0.0.1', @tcp@), 1).send(b'x')")),
    Escape(kind=NET, command="exec 3<>/dev/tcp/127.0.0.1/@tcp@ && echo hi >&3; bash -c 'echo > /dev/tcp/127.0.0.1/@tcp@'"),
    Escape(kind=NET, command=_python("import socket\nsocket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', @udp@))")),
    Escape(kind=NET, command=_python("import socket\nprint(socket.getaddrinfo('localhost.kelpforest.example', 80), '@mark@')")),
    Escape(kind=NET, command=_python("import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect('\\0@abstract@' + '@rest@')")),
    Escape(kind=NET, command=_python("import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect('@outside@/socket')")),
    Escape(kind=NET, command=_python("import os\nprint([each for each in os.listdir('/sys/class/net')], '@mark@')")),
    Escape(kind=NET, command=_python("import socket\nnames = [name for _, name in socket.if_nameindex()]\nprint('' if names == ['lo'] else '@mark@')")),
    Escape(kind=NET, command=_python("import socket\nsocket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)\nprint('@mark@')")),
    Escape(kind=NET, command=_python("import socket\nsocket.socket(socket.AF_PACKET, socket.SOCK_RAW)\nprint('@mark@')")),
    Escape(kind=NET, command=_python("import socket\nsocket.socket(socket.AF_VSOCK)\nprint('@mark@')")),
    Escape(kind=SIGNAL, command="kill -9 -1"),
    Escape(kind=SIGNAL, command="kill -9 @victim@; kill -STOP @victim@"),
    Escape(kind=SIGNAL, command="kill -9 1; kill -9 $PPID; kill -9 0"),
    Escape(kind=SIGNAL, command="i=2; while [ $i -lt 3000 ]; do kill -9 $i 2>/dev/null; i=$((i+1)); [ $i = $$ ] && i=$((i+1)); done"),
    Escape(kind=BOMB, command="b() { b | b & }; b; sleep 600", ends=_bound("processes", "timeout")),
    Escape(kind=BOMB, command="bash -c ':(){ :|:& };:; sleep 600'", ends=_bound("processes", "timeout")),
    Escape(kind=BOMB, command="i=0; while [ $i -lt 500 ]; do sleep 600 & i=$((i+1)); done; sleep 600", ends=lambda response: _failed(response) or _bound("processes", "timeout")(response)),  # the kernel's own bound may come first
    Escape(kind=BOMB, command=_python("a = []\nwhile True: a.append(bytearray(50_000_000))"), patience_s=6, ends=lambda response: _failed(response) or _bound("memory", "timeout")(response)),
    Escape(kind=BOMB, command="for i in 1 2 3 4 5 6; do /usr/bin/python3 -c 'import time; a = bytearray(300_000_000); time.sleep(60)' & done; wait", patience_s=6, ends=_bound("memory")),
    Escape(kind=BOMB, command="yes", ends=_bound("output")),
    Escape(kind=BOMB, command="cat /dev/zero >&2", ends=_bound("output")),
    Escape(kind=BOMB, command="yes > big", ends=lambda response: _code(response) != 0 or _bound("files", "timeout")(response)),
    Escape(kind=BOMB, command="for i in 1 2 3 4 5; do dd if=/dev/zero of=big$i bs=1M count=90; done", home=True, ends=_bound("files", "timeout")),
    Escape(kind=BOMB, command="dd if=/dev/zero of=/tmp/big bs=1M count=200; dd if=/dev/zero of=/dev/shm/big bs=1M count=200", ends=_failed),
    Escape(kind=BOMB, command="truncate -s 100T sparse", ends=_failed),
    Escape(kind=BOMB, command=_python("i = 0\nwhile True:\n    open(f'f{i}', 'w').close()\n    i += 1"), ends=_bound("files", "timeout")),
    Escape(kind=BOMB, command=_python("i = 0\nwhile True:\n    open(f'/tmp/f{i}', 'w').close()\n    i += 1"), ends=_bound("files", "timeout")),
    Escape(kind=BOMB, command=_python("import os\nwhile True:\n    os.mkdir('d')\n    os.chdir('d')"), home=True, ends=_bound("files", "timeout")),
    Escape(kind=BOMB, command=_python("import os\nfor _ in range(3000):\n    os.mkdir('d' * 200)\n    os.chdir('d' * 200)"), home=True, ends=_bound("files", "timeout")),
    Escape(kind=BOMB, command="while :; do :; done", ends=_bound("timeout")),
    Escape(kind=BOMB, command=_python("import os\na = []\nwhile True: a.append(os.pipe())"), ends=_failed),
    Escape(kind=BOMB, command="i=0; while [ $i -lt 200 ]; do ulimit -n unlimited; ulimit -f unlimited; i=$((i+1)); done 2>/dev/null; yes > big", ends=lambda response: _code(response) != 0 or _bound("files", "timeout")(response)),
    Escape(kind=OUTLIVE, command="trap '' TERM INT HUP QUIT; sleep 600; : @mark@", ends=_bound("timeout")),
    Escape(kind=OUTLIVE, command="setsid sh -c 'exec >/dev/null 2>&1 </dev/null; sleep 600; : @mark@' & exit 0", ends=lambda response: _code(response) == 0),
    Escape(kind=OUTLIVE, command="(setsid sh -c '(trap \"\" TERM HUP; sleep 600; : @mark@) &' >/dev/null 2>&1 </dev/null &); exit 3", ends=lambda response: _code(response) == 3),
    Escape(kind=OUTLIVE, command="nohup sleep 600 & exec 1>&- 2>&- 0<&-; : @mark@", ends=lambda response: _code(response) == 0),
    Escape(kind=OUTLIVE, command="sleep 600 & : @mark@", ends=lambda response: _code(response) == 0),
    Escape(kind=OUTLIVE, command=_python("import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        [os.close(n) for n in range(3)]\n        while True: open('/sandbox/beat', 'a').write('x')"), ends=lambda response: _code(response) == 0),
    Escape(kind=OUTLIVE, command="cat; cat; read x; head -c 1", ends=lambda response: response.status == 200),
    Escape(kind=OUTLIVE, command="exec 1>&- 2>&-; sleep 600", ends=_bound("timeout")),
    Escape(kind=RIGHTS, command="grep -E '^Cap(Inh|Prm|Eff|Bnd|Amb):' /proc/self/status | grep -v '0000000000000000$'", ends=_silent),
    Escape(kind=RIGHTS, command="grep -q '^NoNewPrivs:.1' /proc/self/status && test $(id -u) -eq 1000", ends=lambda response: _code(response) == 0),
    Escape(kind=RIGHTS, command=f"unshare -U true {SAYS}; unshare -Ur true {SAYS}; unshare -m true {SAYS}; unshare -n true {SAYS}"),
    Escape(kind=RIGHTS, command=f"mount -t tmpfs none /tmp {SAYS}; mount --bind /usr /tmp {SAYS}; mount -o remount,rw / {SAYS}; umount /proc {SAYS}"),
    Escape(kind=RIGHTS, command=f"chroot /usr /bin/true {SAYS}; pivot_root /tmp /tmp {SAYS}; nsenter -t 1 -m true {SAYS}; setpriv --reuid 0 true {SAYS}"),
    Escape(kind=RIGHTS, command=f"su -c 'echo @mark@'; sudo -n echo @mark@; mount {SAYS.replace('@mark@', '')} true; ping -c1 127.0.0.1 {SAYS}"),
    Escape(kind=RIGHTS, command="cp /bin/sh rise && chmod 6755 rise; ls -l rise", home=True),
    Escape(kind=RIGHTS, command="cp /bin/sh .rise && chmod u+s .rise; chmod 000 .; exit 0", home=True),
    Escape(kind=RIGHTS, command=f"mknod d b 254 0 {SAYS}; mknod c c 1 1 {SAYS}; cat d c"),
    Escape(kind=RIGHTS, command=_python("import ctypes\nc = ctypes.CDLL(None)\nprint('' if c.ptrace(16, 1, 0, 0) else '@mark@')")),
    Escape(kind=RIGHTS, command=_python(
        "import fcntl, os, termios\nfor name in ('/dev/tty', '/dev/console', '/dev/tty1', '/dev/pts/0', 0, 1, 2):\n    try:\n"
        "        to = os.open(name, os.O_RDWR) if isinstance(name, str) else name\n        fcntl.ioctl(to, termios.TIOCSTI, b'x')\n        print('@mark@')\n"
        "    except OSError: pass")),
    Escape(kind=RIGHTS, command=f"insmod x {SAYS}; modprobe dummy {SAYS}; swapoff -a {SAYS}; date -s 2000-01-01 {SAYS}; hostname x {SAYS}; renice -n -5 $$ {SAYS}"),
    Escape(kind=TRAP, command="mkfifo pipe; ls -l pipe", home=True, ends=lambda response: _code(response) == 0),
    Escape(kind=TRAP, command="ln -s /dev/zero zero; ln -s loop loop; ln -s . self; ln -s @outside@/bait b", home=True, ends=lambda response: _code(response) == 0),
    Escape(kind=TRAP, command="mkdir -p a/b/c; echo x > a/b/f; chmod 000 a/b/f a/b; chmod 400 a", home=True, ends=lambda response: _code(response) == 0),
    Escape(kind=TRAP, command="true", before="mkdir -p a/b; chmod 000 a", more={"cwd": "a/b/c"}, home=True),
    Escape(kind=TRAP, command="true", before="echo > a", more={"cwd": "a/b"}, ends=_refused, home=True),
    Escape(kind=TRAP, command="true", more={"cwd": "x" * 300}, ends=_refused, home=True),
    Escape(kind=TRAP, command=_python("import os\nfor name in (b'\\xff\\xfe', b'a\\nb', b'-rf', b'\\x1b[2J'): open(name, 'w').close()"), home=True, ends=lambda response: _code(response) == 0),
    Escape(kind=TRAP, command=_python("import socket\nsocket.socket(socket.AF_UNIX).bind('/sandbox/socket')"), home=True, ends=lambda response: _code(response) == 0),
    Escape(kind=TRAP, command="chmod 000 . && ls", home=True),
    Escape(kind=ODD, command="printf '\\377\\376'; printf 'a\\000b'", ends=lambda response: _code(response) == 0),
    Escape(kind=ODD, command="true\0rm", ends=_refused),
    Escape(kind=ODD, command=": " + "x" * 200_000, ends=_refused),
    Escape(kind=ODD, command="echo \ud800", ends=_refused),
    Escape(kind=ODD, command="true", more={"stdin": "x" * 5_000_000}, ends=lambda response: _code(response) == 0),
    Escape(kind=ODD, command="wc -c", more={"stdin": "\ud800" * 200_000}, ends=lambda response: _code(response) == 0),
    Escape(kind=ODD, command="true", more={"cwd": "a\0b"}, ends=_refused),
    Escape(kind=ODD, command="true", more={"cwd": 7, "env": {"a": 1}, "stdin": {"b": []}}, ends=lambda response: _code(response) == 0),
    Escape(kind=ODD, command="", ends=lambda response: _code(response) == 0),
    Escape(kind=ODD, command="if", ends=_failed),
    Escape(kind=ODD, command="--help; $(exit 3)", ends=_failed),
)  # fmt: skip


def asked(command: str, **more: object) -> Request:
    """Return the request that runs a command."""
    body = {"command": command, "stdin": None, "cwd": None, "env": [], **more}
    return Request(method="POST", url="shell://sandbox/", body=json.dumps(body).encode())


def tried(escape: Escape, *, on_disk: bool) -> str | None:
    """Try one, and return what went wrong."""
    with tempfile.TemporaryDirectory(prefix="torture-") as parent:
        Path(parent).chmod(0o755)  # the superuser's commands are run as somebody else
        outside = Path(parent) / "outside"
        outside.mkdir(mode=0o755)
        home = Path(parent) / "home" if on_disk else None
        if home is not None:
            home.mkdir()
        with Scene(outside=outside, home=home) as scene:
            shell = ShellLive(
                allow_shell=True, environ={"TORTURE_GIVEN": scene.token}, folder=home, patience_s=escape.patience_s
            )
            began = time.process_time()
            try:
                if escape.before is not None:
                    shell.send(asked(_filled(escape.before, scene)))
                more = {name: _filled(value, scene) for name, value in escape.more.items()}
                response = shell.send(asked(_filled(escape.command, scene), **more))
                after = shell.send(asked("echo still here"))
            except Exception as error:  # noqa: BLE001  whatever it is, it is not survived
                return f"{type(error).__name__}: {error}"
            took = time.process_time() - began
            if (got := scene.broken(response)) is not None:
                return got
            if not escape.ends(response):
                return f"it ended otherwise than it should: {response.status} {response.fault} {response.body[:300]!r}"
            if took > TOO_LONG_S:
                return f"it took {took:.1f} s of the recorder's time"
            if "chmod 000 ." not in escape.command and b"still here" not in after.body:
                return f"the next command does not run: {after.status} {after.fault} {after.body[:300]!r}"
    return None


def _filled(value: Any, scene: Scene) -> Any:
    if isinstance(value, str):
        for word, meaning in scene.words.items():
            value = value.replace(word, meaning)
    return value


def as_user(uid: int, act: Callable[[], Any]) -> Any:
    """Return what a function returns that runs in a process of another user."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(uid)
            os.setuid(uid)
            ctypes.CDLL(None).prctl(4, 1)  # PR_SET_DUMPABLE, as a process has it that began as this user
            result = pickle.dumps(act())
        except BaseException as error:  # noqa: BLE001  as above
            result = pickle.dumps(f"{type(error).__name__}: {error}")
        with contextlib.suppress(BaseException), os.fdopen(writes, "wb") as to:
            to.write(result)
        os._exit(0)
    os.close(writes)
    with os.fdopen(reads, "rb") as whence:
        said = whence.read()
    os.waitpid(child, 0)
    return pickle.loads(said) if said else "the process died"


def attempts(count: int, seed: int) -> Iterator[Attempt]:
    """Try at most ``count`` of each kind, as who we are and, where that is root, as an ordinary user too."""
    yield from refusals()
    if shutil.which("bwrap") is None:
        yield Attempt(kind="the sandbox", what="bwrap --version", failure="bubblewrap is not installed here")
        return
    if (forbidden := _forbidden()) is not None:
        yield Attempt(kind="the sandbox", what="true", failure=forbidden)
        return
    chance = random.Random(seed)
    for _ in range(min(count, 10)):
        yield killed_recorder(chance)
    by_kind: dict[str, list[Escape]] = {}
    for escape in ESCAPES:
        by_kind.setdefault(escape.kind, []).append(escape)
    for kind, escapes in by_kind.items():
        for escape in escapes if count >= len(escapes) else chance.sample(escapes, count):
            for on_disk in (True, False) if escape.home is None and count >= LONG else (escape.home is not False,):
                for who in whos():
                    what = f"{escape.command[:120]!r}{escape.more or ''} {'on the disk' if on_disk else 'in memory'}, {who[0]}"
                    yield Attempt(kind=kind, what=what, failure=who[1](lambda e=escape, d=on_disk: tried(e, on_disk=d)))


def whos() -> list[tuple[str, Callable[[Callable[[], Any]], Any]]]:
    """Return as whom a command can be tried here: names, and what runs a function as them."""
    if os.geteuid() != 0:
        return [("as an ordinary user", lambda act: act())]
    return [("as root", lambda act: act()), ("as an ordinary user", lambda act: as_user(ORDINARY, act))]


def _forbidden() -> str | None:
    try:
        ShellLive(allow_shell=True, environ={}).send(asked("true"))
    except BadInput as error:
        return str(error)
    return None


def refusals() -> Iterator[Attempt]:
    """Commands that may not run: reported in one line, and nothing is started."""
    kind = "refusals in one line"
    with tempfile.TemporaryDirectory() as parent:
        Path(parent).chmod(0o755)
        made = Path(parent) / "made"
        old = Path(parent) / "old-bwrap"
        old.write_text("#!/bin/sh\necho 'bwrap: Unknown option --disable-userns' >&2\nexit 1\n")
        old.chmod(0o755)
        for what, shell, says in (
            ("not allowed", ShellLive(allow_shell=False, environ={}), "--allow-shell"),
            ("no bubblewrap", ShellLive(allow_shell=True, environ={}, bwrap=f"{parent}/none"), "install bubblewrap"),
            (
                "an old bubblewrap",
                ShellLive(allow_shell=True, environ={}, bwrap=str(old)),
                "cannot be set up (Unknown option",
            ),
            ("no program", ShellLive(allow_shell=True, environ={}, bwrap="/etc/hostname"), "cannot be run"),
        ):
            try:
                response = shell.send(asked(f"touch {made}"))
                failure = f"it was run: {response.body!r}"
            except BadInput as error:
                failure = None if says in str(error) and "\n" not in str(error) and not made.exists() else str(error)
            yield Attempt(kind=kind, what=what, failure=failure)


def killed_recorder(chance: random.Random) -> Attempt:
    """Kill a recorder while its sandbox is set up, or its command runs: nothing of it is left."""
    mark = secrets.token_hex(12)
    body = canonical_json({"command": f"sleep 600; : {mark}"})
    code = (
        "from mendbench.live.shell import ShellLive; from mendbench.model.exchange import Request; import sys; "
        "ShellLive(allow_shell=True, environ={}).ask(Request(method='POST', url='shell://sandbox/', body=sys.argv[1].encode()))"
    )
    recorder = subprocess.Popen([sys.executable, "-c", code, body])
    deadline = time.monotonic() + 20
    wanted = chance.randint(2, 4)  # the recorder, bubblewrap, its first process, the command
    while len(_running(mark)) < wanted and time.monotonic() < deadline and recorder.poll() is None:
        pass
    begun = len(_running(mark)) >= wanted
    time.sleep(chance.uniform(0, 0.02))
    recorder.send_signal(signal.SIGKILL)
    recorder.wait()
    deadline = time.monotonic() + 5
    while _running(mark) and time.monotonic() < deadline:
        time.sleep(0.02)
    left = _running(mark)
    failure = f"it outlived the recorder: {left}" if left else None if begun else "it never began"
    return Attempt(kind=OUTLIVE, what=f"kill -9 of the recorder once there are {wanted} processes", failure=failure)
