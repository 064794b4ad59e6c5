"""One HTTP exchange over a socket: ``urllib.request`` would be most of what a program costs that is started hundreds of times."""

import os
import socket
from urllib.parse import urlsplit


def exchange(method, url, headers, data, timeout=20):
    """Return status, body and headers of the response, asked for through the proxy that the environment names.

    Raises:
        OSError: none came, or not the whole of it.
    """
    to = urlsplit(url)
    near = to.hostname in os.environ.get("no_proxy", "").split(",")
    at = to if near or "http_proxy" not in os.environ else urlsplit(os.environ["http_proxy"])
    target = f"{to.path or '/'}{'?' + to.query if to.query else ''}" if at is to else url
    sent = {"Host": to.netloc, "Accept-Encoding": "identity", "Connection": "close", **headers}
    if data is not None:
        sent["Content-Length"] = str(len(data))
    head = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items())]
    with socket.create_connection((at.hostname, at.port or 80), timeout=timeout) as line:
        line.sendall("\r\n".join([*head, "", ""]).encode() + (data or b""))
        raw = b"".join(iter(lambda: line.recv(65536), b""))
    head, gap, body = raw.partition(b"\r\n\r\n")
    status, *lines = head.decode("latin-1").split("\r\n")
    shown = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    length = next((value for name, value in shown.items() if name.lower() == "content-length"), len(body))
    if not gap or len(body) != int(length):
        raise ConnectionResetError("the response broke off")
    return int(status.split()[1]), body, shown
