"""For whom a certificate is: for what its valid names name. A name that is none neither helps nor harms."""

import ipaddress

import pytest
from cryptography import x509
from service_identity import CertificateError, VerificationError

from spiders.downloader.bounded_connection import verify_certificate
from tests.situations.tls import self_signed

ODD = {
    "a star alone": x509.DNSName("*"),
    "a star for a whole top-level domain": x509.DNSName("*.localhost"),
    "two stars": x509.DNSName("*.*.b.localhost"),
    "a star inside a label": x509.DNSName("a*.b.localhost"),
    "an IP address as a DNS name": x509.DNSName("127.0.0.1"),
    "an empty DNS name": x509.DNSName(""),
    "a null byte": x509.DNSName("a.b.localhost\0.c.localhost"),
    "a URI with a port": x509.UniformResourceIdentifier("https://a.b.localhost:443/"),
    "a URI without a host": x509.UniformResourceIdentifier("a.b.localhost"),
    "an SRV name that is none": x509.OtherName(x509.ObjectIdentifier("1.3.6.1.5.5.7.8.7"), b"\x05\x00"),
    "an email address": x509.RFC822Name("a@b.localhost"),
}


def certificate(name: str, *beside: x509.GeneralName) -> x509.Certificate:
    return x509.load_pem_x509_certificate(self_signed(name, beside=beside))


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_an_odd_name_takes_nothing_from_a_good_one(odd: x509.GeneralName) -> None:
    both = certificate("a.b.localhost", odd, x509.IPAddress(ipaddress.ip_address("127.0.0.2")))
    for host in ("a.b.localhost", "www.a.b.localhost", "127.0.0.2"):
        verify_certificate(both, host)


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
@pytest.mark.parametrize("host", ["a.b.localhost", "127.0.0.1", "[::1]", "c.localhost"])
def test_an_odd_name_names_nobody(odd: x509.GeneralName, host: str) -> None:
    with pytest.raises((VerificationError, CertificateError)):
        verify_certificate(certificate("another.invalid", odd), host)


def test_an_address_that_a_certificate_names_is_verified_as_an_address() -> None:
    named = certificate("a.invalid", x509.IPAddress(ipaddress.ip_address("::1")))
    verify_certificate(named, "[::1]")
    with pytest.raises(VerificationError):
        verify_certificate(named, "127.0.0.1")
