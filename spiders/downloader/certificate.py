"""For whom is a certificate? For the hosts that its subject alternative names name (RFC 9525, 6), and for nobody else.

Of these names only those of one kind count: DNS names for a host, IP addresses for an IP address. An invalid name
matches nothing. `service_identity` would reject the whole certificate for it, however good the others are.
"""

from __future__ import annotations

from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING

from cryptography import x509
from service_identity import CertificateError
from service_identity.hazmat import DNS_ID, DNSPattern, IPAddress_ID, IPAddressPattern, verify_service_identity

from spiders.downloader.address_policy import literal_address

if TYPE_CHECKING:
    from collections.abc import Iterator


def verify_certificate(certificate: x509.Certificate, host: str) -> None:
    """Raise `VerificationError` or `CertificateError` unless the certificate is for `host`, a name or an IP address."""
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound as error:
        raise CertificateError("it names no host") from error
    except ValueError as error:
        raise CertificateError(f"its names can't be read: {error}") from error
    if literal_address(host):
        verify_service_identity(list(_addresses(names)), [IPAddress_ID(host.strip("[]"))], [])
    else:
        verify_service_identity(list(_dns_names(names)), [DNS_ID(host)], [])


def _addresses(names: x509.SubjectAlternativeName) -> Iterator[IPAddressPattern]:
    for address in names.get_values_for_type(x509.IPAddress):
        if isinstance(address, (IPv4Address, IPv6Address)):  # no network
            yield IPAddressPattern(address)


def _dns_names(names: x509.SubjectAlternativeName) -> Iterator[DNSPattern]:
    for name in names.get_values_for_type(x509.DNSName):
        with suppress(CertificateError):
            yield DNSPattern.from_bytes(name.encode())
