"""Did two pages come from one network? A keyed hash of an address, which says only whether two are the same.

The address itself is kept nowhere. The key comes from the installation's SECRET_KEY and a scope: without it nobody can
try addresses out, and the same network has another hash in another scope.
"""

import ipaddress

from django.http import HttpRequest
from django.utils.crypto import salted_hmac

LENGTH = 32
"""Hexadecimal digits of a hash."""
IPV6_NETWORK = 64
"""Bits of an IPv6 address that a household or an office shares; the others may change from day to day."""


def trace(address: str, scope: str) -> str:
    """Return the hash of a network in a scope, empty where there is no address, as on a Unix socket."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return ""
    if isinstance(found, ipaddress.IPv6Address):
        found = found.ipv4_mapped or ipaddress.ip_network((int(found), IPV6_NETWORK), strict=False).network_address
    return salted_hmac(f"collector.lib.networks.{scope}", str(found), algorithm="sha256").hexdigest()[:LENGTH]


def of_sign_in(request: HttpRequest) -> str:
    """Return the hash of who signs in as an address, for a table that holds nothing else: of a private network."""
    made = trace(str(request.META.get("REMOTE_ADDR", "")), "sign-in")
    return str(ipaddress.IPv6Address(int(f"fd{made[:30]}", 16))) if made else "::"
