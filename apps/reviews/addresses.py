"""Where webhooks may lead: http and https to addresses of the public Internet, whatever a name resolves to."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

from heteroopt.errors import HeteroOptError

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
SCHEMES = {"http": 80, "https": 443}
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
MOST_LETTERS = 1000


@dataclass(frozen=True, slots=True)
class Target:
    """A checked URL: where to connect to (``address``), and what to ask for there."""

    scheme: str
    host: str
    port: int
    path: str
    address: str

    @property
    def host_header(self) -> str:
        """The Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == SCHEMES[self.scheme] else f"{host}:{self.port}"


def check(url: str) -> Target:
    """Resolve a webhook's URL and return the address to connect to, which the connection must then use.

    Raises ``HeteroOptError``: ``webhook_url`` (not http or https, no host, user and password, a fragment),
    ``webhook_unresolved``, ``webhook_private`` where any address of the name is not public.
    """
    scheme, host, port, path = _parts(url)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise HeteroOptError(
            "webhook_unresolved",
            f"The host {host} cannot be found: {error}.",
            hint="Check the name, and that this server can resolve it.",
            host=host,
        ) from error
    addresses = [str(entry[4][0]) for entry in found]
    for address in addresses:
        if not is_public(address):
            raise HeteroOptError(
                "webhook_private",
                f"The host {host} is at {address}, which is not a public address.",
                hint="Webhooks reach public addresses only. Put a relay there, or use another service.",
                host=host,
                address=address,
            )
    return Target(scheme, host, port, path, addresses[0])


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the public Internet; what an IPv6 address stands for or embeds counts too."""
    try:
        # An interface, as in fe80::1%eth0, is no part of the address.
        ip: IPAddress = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        inner = _embedded(ip)
        if inner is not None:
            return is_public(str(inner))
        if ip.is_site_local:
            return False
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip.is_unspecified or ip.is_loopback)


def _embedded(ip: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address that packets to an IPv6 address end at: mapped, compatible, 6to4, Teredo, NAT64."""
    if ip.ipv4_mapped is not None:
        return ip.ipv4_mapped
    if ip.sixtofour is not None:
        return ip.sixtofour
    if ip.teredo is not None:
        return ip.teredo[1]
    if ip in NAT64 or int(ip) >> 32 == 0:
        return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return None


def _parts(url: str) -> tuple[str, str, int, str]:
    wrong = None
    if len(url) > MOST_LETTERS or any(ord(letter) <= 0x20 or ord(letter) == 0x7F for letter in url):
        wrong = "it is too long, or has blanks in it"
    try:
        split = urlsplit(url)
        host, port = split.hostname or "", split.port
    except ValueError as error:
        raise _bad(str(error)) from error
    if split.scheme not in SCHEMES:
        wrong = "it is neither http nor https"
    elif not host:
        wrong = "it names no host"
    elif split.username is not None or split.password is not None:
        wrong = "it has a user name or a password"
    elif split.fragment:
        wrong = "it has a fragment"
    elif not url.isascii():
        wrong = "it has letters that must be escaped"
    elif port == 0:
        wrong = "its port is 0"
    if wrong is not None:
        raise _bad(wrong)
    path = (split.path or "/") + (f"?{split.query}" if split.query else "")
    return split.scheme, host, port or SCHEMES[split.scheme], path


def _bad(why: str) -> HeteroOptError:
    return HeteroOptError(
        "webhook_url",
        f"This URL cannot be used: {why}.",
        hint="Give the full URL, such as https://hooks.example.org/plans.",
        reason=why,
    )
