"""With what does a server on loopback speak TLS? With a certificate that it has just signed itself, good for a day."""

from __future__ import annotations

import ssl
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

if TYPE_CHECKING:
    from collections.abc import Sequence


def self_signed(name: str, until: timedelta = timedelta(days=1), *, beside: Sequence[x509.GeneralName] = ()) -> bytes:
    """Return a new key and its certificate for `name` and all names below it, as PEM; it is good `until` from now.

    `beside` are further names that stand before these in the certificate.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    who = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    names = x509.SubjectAlternativeName([*beside, x509.DNSName(name), x509.DNSName(f"*.{name}")])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(who)
        .issuer_name(who)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=7))
        .not_valid_after(now + until)
        .add_extension(names, critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return private + certificate.public_bytes(pem)


def server_context(host: str) -> ssl.SSLContext:
    """Return what a server needs to speak TLS as `host`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory(prefix="situations-") as folder:
        file = Path(folder) / "certificate.pem"
        file.write_bytes(self_signed(host))
        context.load_cert_chain(file)
    return context
