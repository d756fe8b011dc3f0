"""Which hosts are this computer itself; apart from the client, which takes long to import."""

from __future__ import annotations

import ipaddress


def is_loopback(host: str) -> bool:
    """True for names and addresses of this computer."""
    name = host.strip("[]").rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback) or address.is_unspecified
