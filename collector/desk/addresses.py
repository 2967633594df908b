"""Under which addresses can the product be reached, and is the port free?"""

import contextlib
import errno
import socket
from urllib.parse import urlsplit


class AddressError(Exception):
    """The address cannot be used; the text is a sentence for the researcher."""


EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 - compared with, not bound to


def claim(host: str, port: int) -> int:
    """Return the port if it can be bound now (for 0, a free one), or raise an :class:`AddressError`."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except socket.gaierror:
        raise AddressError(f"HOST: {host!r} is no address of this machine.") from None
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
            return int(probe.getsockname()[1])
        except OSError as error:
            raise AddressError(_sentence(error, host, port)) from None


def is_ours_to_serve(url: str) -> bool:
    """Tell whether an address is this machine's own loopback, with its port free."""
    parts = urlsplit(url)
    if parts.hostname not in ("localhost", "127.0.0.1"):
        return False
    try:
        claim("127.0.0.1", parts.port or 80)
    except AddressError:
        return False
    return True


def _sentence(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} is taken by another program. Stop it, or take another: PORT={port + 1} make run"
    if error.errno == errno.EACCES:
        return f"Port {port} may not be used by an ordinary user. Take one above 1023: PORT=8000 make run"
    if error.errno == errno.EADDRNOTAVAIL:
        return f"HOST: {host} is no address of this machine. HOST=0.0.0.0 listens on all it has."
    return f"{host}, port {port} cannot be used: {error.strerror}."


def origins(host: str, port: int) -> list[str]:
    """Return the origins (``http://name:port``) a browser can use, the nearest first."""
    names = ["127.0.0.1", *own_addresses()] if host in EVERYWHERE else [host]
    return [f"http://{f'[{name}]' if ':' in name else name}:{port}" for name in names]


def own_addresses() -> list[str]:
    """Return this machine's IPv4 addresses other than loopback, that of the way out first."""
    found: list[str] = []
    # Without a network there is no route, only loopback.
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # only chooses a route; a datagram socket sends nothing here
        found.append(probe.getsockname()[0])
    with contextlib.suppress(socket.gaierror):  # a machine that does not know its own name
        found += [str(each[4][0]) for each in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
    return [name for name in dict.fromkeys(found) if not name.startswith("127.")]
