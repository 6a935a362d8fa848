"""Certificates are read when a server is to be verified, and no server goes unverified."""

from __future__ import annotations

import ssl

import pytest

from leadline.net.tls import OnDemand, trusted


@pytest.mark.contract("E4")
def test_whoever_is_spoken_to_is_verified_by_the_certificates_of_the_machine() -> None:
    context = trusted()
    assert isinstance(context, OnDemand)
    assert not context.get_ca_certs()
    context.set_alpn_protocols(["http/1.1"])
    wrapped = context.wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_hostname="a.example")
    real = wrapped.context
    assert real is not context
    assert real.verify_mode is ssl.CERT_REQUIRED
    assert real.check_hostname


def test_the_stand_in_itself_trusts_nobody() -> None:
    bare = OnDemand(ssl.PROTOCOL_TLS_CLIENT)
    assert bare.verify_mode is ssl.CERT_REQUIRED
    assert bare.check_hostname
    assert trusted() is trusted()
