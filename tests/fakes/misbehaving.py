"""A server on this machine that misbehaves on the wire: what it does to each connection is written down, by path."""

from __future__ import annotations

import contextlib
import datetime as dt
import ipaddress
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

Behaviour = Callable[[socket.socket, threading.Event], None]
"""What is done once a request has been read; the event is set when the server closes."""


def sends(*chunks: bytes) -> Behaviour:
    """Send that, and end the connection in good order."""
    return lambda line, _closing: [line.sendall(chunk) for chunk in chunks] and None


def sends_and_resets(*chunks: bytes) -> Behaviour:
    """Send that, and reset the connection (RFC 9293 section 3.5.2)."""

    def act(line: socket.socket, _closing: threading.Event) -> None:
        for chunk in chunks:
            line.sendall(chunk)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    return act


def sends_and_stays(*chunks: bytes) -> Behaviour:
    """Send that, and then nothing more; the connection stays open."""

    def act(line: socket.socket, closing: threading.Event) -> None:
        for chunk in chunks:
            line.sendall(chunk)
        closing.wait(30)

    return act


def keeps(*chunks: bytes) -> Behaviour:
    """Send that, say that the connection stays open, and close it at the next request."""

    def act(line: socket.socket, closing: threading.Event) -> None:
        for chunk in chunks:
            line.sendall(chunk)
        line.settimeout(30)
        with contextlib.suppress(OSError):
            line.recv(1)

    return act


def drips(whole: bytes, *, pieces: int, pause_s: float) -> Behaviour:
    """Send that in so many pieces, with a pause before each."""

    def act(line: socket.socket, closing: threading.Event) -> None:
        size = max(1, len(whole) // pieces)
        for start in range(0, len(whole), size):
            closing.wait(pause_s)
            line.sendall(whole[start : start + size])

    return act


def http(status: str = "200 OK", body: bytes = b"", *, length: int | None = None, **headers: str) -> bytes:
    """Return a response's bytes. ``length`` is what is said of the body's length."""
    headers_sent = {"Content-Length": str(len(body) if length is None else length), "Connection": "close"}
    headers_sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers_sent.items() if value != "-")
    return f"HTTP/1.1 {status}\r\n{lines}\r\n".encode("latin-1") + body


@contextlib.contextmanager
def misbehaving(
    scripts: Mapping[str, Sequence[Behaviour]], *, tls: ssl.SSLContext | None = None, host: str = "127.0.0.1"
) -> Iterator[tuple[str, list[str]]]:
    """Yield the server's base URL, and the paths that were asked for; each path's last behaviour is for ever."""
    asked: list[str] = []
    closing = threading.Event()
    listening = socket.create_server(("127.0.0.1", 0))
    threads: list[threading.Thread] = []

    def attend(line: socket.socket) -> None:
        with contextlib.suppress(OSError), contextlib.closing(line):
            line.settimeout(30)
            if tls is not None:
                line = tls.wrap_socket(line, server_side=True)
            path = _read(line)
            if path:
                script = scripts.get(path) or (sends(http("404 Not Found")),)
                asked.append(path)
                script[min(asked.count(path), len(script)) - 1](line, closing)
                line.close()

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                line, _ = listening.accept()
                if closing.is_set():
                    line.close()
                    return
                threads.append(threading.Thread(target=attend, args=(line,), daemon=True))
                threads[-1].start()

    accepting = threading.Thread(target=accept, daemon=True)
    accepting.start()
    port = listening.getsockname()[1]
    try:
        yield f"http{'s' if tls else ''}://{host}:{port}", asked
    finally:
        closing.set()
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port)).close()
        listening.close()
        for thread in [accepting, *threads]:
            thread.join(5)


def _read(line: socket.socket) -> str:
    """Return the path that a request names, once the whole request has been read."""
    data = b""
    while b"\r\n\r\n" not in data:
        chunk = line.recv(65_536)
        if chunk[:1] == b"\x16":  # a TLS handshake (RFC 8446 section 5.1), and we speak none
            line.sendall(http("400 Bad Request"))
            return ""
        if not chunk:
            return ""
        data += chunk
    head, _, body = data.partition(b"\r\n\r\n")
    length = next(
        (int(each.split(b":")[1]) for each in head.splitlines() if each.lower().startswith(b"content-length:")), 0
    )
    while len(body) < length:
        body += line.recv(65_536)
    return head.split(b" ")[1].decode()


@contextlib.contextmanager
def full() -> Iterator[str]:
    """Yield the base URL of a server that never takes a connection: its queue is full."""
    with contextlib.ExitStack() as held:
        listening = held.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        address = listening.getsockname()
        for _ in range(3):
            waiting = held.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(address)
        yield f"http://127.0.0.1:{address[1]}"


@contextlib.contextmanager
def deaf() -> Iterator[str]:
    """Yield the base URL of a port where nobody listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"


class Authority:
    """An authority of the tests' own, and certificates that it signed, good and bad ones."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._key = folder, ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Kelpforest Test Authority")])
        own = self._signed(self._name, self._key, days=(-10, 10), host=None)
        self._pem = own.public_bytes(serialization.Encoding.PEM)

    def trusting(self) -> ssl.SSLContext:
        """Return what a client uses that trusts this authority."""
        return ssl.create_default_context(cadata=self._pem.decode())

    def server(self, *, host: str = "localhost", days: tuple[int, int] = (-1, 1), own: bool = False) -> ssl.SSLContext:
        """Return what a server uses whose certificate is for ``host``; with ``own``, it signed that itself."""
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
        signed = self._signed(name, key, days=days, host=host, by=(name, key) if own else None)
        place = self._folder / f"{host} {days[1]} {own}.pem"
        private = serialization.PrivateFormat.PKCS8
        place.write_bytes(
            signed.public_bytes(serialization.Encoding.PEM)
            + key.private_bytes(serialization.Encoding.PEM, private, serialization.NoEncryption())
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(place)
        return context

    def _signed(
        self,
        name: x509.Name,
        key: ec.EllipticCurvePrivateKey,
        *,
        days: tuple[int, int],
        host: str | None,
        by: tuple[x509.Name, ec.EllipticCurvePrivateKey] | None = None,
    ) -> x509.Certificate:
        now = dt.datetime.now(dt.UTC)
        issuer, signing = by or (self._name, self._key)
        begun = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(issuer)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now + dt.timedelta(days=days[0]))
            .not_valid_after(now + dt.timedelta(days=days[1]))
            .add_extension(x509.BasicConstraints(ca=host is None, path_length=None), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signing.public_key()), critical=False)
        )
        if host is not None:
            names = [x509.DNSName(host), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))][
                : 2 if host == "localhost" else 1
            ]
            begun = begun.add_extension(x509.SubjectAlternativeName(names), critical=False)
        return begun.sign(signing, hashes.SHA256())
