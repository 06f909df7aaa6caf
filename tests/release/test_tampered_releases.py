"""Releases that were tampered with: naively, carefully, and against a signature."""

from __future__ import annotations

import importlib.util

import pytest

from dpcore.release import signature, verify
from dpcore.release.accounts import Before
from dpcore.release.amounts import Amount
from dpcore.release.certificate import HEAD, NAME, PAGE, as_json, sealed
from dpcore.release.certificate_map import map_of
from dpcore.release.certificate_page import certificate_page
from dpcore.release.verify import signed as signed_by
from tests.conftest import missing
from tests.release.tampering import (
    FILES,
    TAMPERINGS,
    UNDONE,
    copied,
    edited,
    forged,
    refingerprinted,
    remade,
)

#: What passes without the ledger or a signature, once all digests are made again, and why.
NOT_CAUGHT = {
    "another library's version": "nothing in the files depends on it",
    "another head of the ledger": "it says nothing to who has not the ledger",
}
#: The same, when all that dpcore makes of a certificate is made again as well.
NOT_CAUGHT_REMADE = {
    **NOT_CAUGHT,
    "another data set": "a publisher may call data as they like",
    "more allowed": "what all releases may cost is written in the ledger only",
    "another time": "no clock but the publisher's has seen it",
    "a file instead of a built-in set": "the same box may be that of a file",
    "a light point moved by ten meters": "noise could have put it there, and no center moves",
}
#: What may be changed in a file that another build made, as the certificate claims: words, lines of
#: a drawing and programs, but no number and no price.
HIDDEN_BY_A_BUILD = {
    "a sentence in the map",
    "a center moved on the map",
    "a sentence on the page",
    "with a seed on the page",
    "a program that does harm",
}
#: What making files again undoes.
PAGE_UNDONE, ALL_UNDONE = UNDONE["page"], UNDONE["everything"]


def failures(files, key=None):
    found = verify(files[NAME], files, key)
    return [f"{finding.what}: {finding.why}" for finding in found if finding.holds is False]


@pytest.fixture(scope="module")
def signer(tmp_path_factory):
    if importlib.util.find_spec("cryptography") is None:
        missing("cryptography (pip install 'dpcore[sign]')")
    return signature.make_key(tmp_path_factory.mktemp("keys"))


@pytest.fixture(scope="module")
def signed(published, signer):
    """The files of a release as its publisher would have signed them."""
    said, files = copied(published["city"].files)
    made = ("files", "public key", "page", "digest", "signature", "spent")
    rest = {n: v for n, v in said.items() if n not in made}
    spent = Amount.of(said["epsilon"], said["delta"])
    contents = {name: files[name] for name in said["files"]}
    whole = sealed(rest, contents, Before(said[HEAD], spent, 1), signer)
    return {
        **files,
        NAME: as_json(whole),
        PAGE: certificate_page(whole, map_of(whole, files)).encode(),
    }


def test_there_are_many_tamperings():
    assert len(TAMPERINGS) >= 80
    assert set(NOT_CAUGHT_REMADE) <= set(TAMPERINGS)


def test_the_release_that_is_tampered_with_is_sound(published, signed, signer):
    assert failures(published["city"].files) == []
    assert failures(signed, signer.public_key) == []


@pytest.mark.parametrize("name", TAMPERINGS)
def test_whatever_was_changed_is_found(name, published):
    said, files = copied(published["city"].files)
    TAMPERINGS[name](said, files)
    assert failures(edited(said, files))


@pytest.mark.parametrize("name", sorted(set(TAMPERINGS) - PAGE_UNDONE))
def test_a_change_is_found_though_all_digests_fit(name, published):
    said, files = copied(published["city"].files)
    TAMPERINGS[name](said, files)
    assert bool(failures(refingerprinted(said, files))) == (name not in NOT_CAUGHT)


@pytest.mark.parametrize("name", sorted(set(TAMPERINGS) - ALL_UNDONE))
def test_a_change_is_found_though_all_that_follows_from_it_was_made_again(name, published):
    said, files = copied(published["city"].files)
    TAMPERINGS[name](said, files)
    assert bool(failures(remade(said, files))) == (name not in NOT_CAUGHT_REMADE)


@pytest.mark.parametrize("name", FILES)
def test_claiming_another_build_hides_no_number(name, published):
    said, files = copied(published["city"].files)
    TAMPERINGS[name](said, files)
    said["build"] = "0" * 64
    files = forged(said, files)
    assert bool(failures(files)) == (name not in HIDDEN_BY_A_BUILD)
    if name in HIDDEN_BY_A_BUILD:
        assert any(finding.by_hash for finding in verify(files[NAME], files))


@pytest.mark.parametrize("number", ["0.3", "51.3", "4,321"])
def test_claiming_another_build_puts_no_other_number_on_a_page(number, published):
    for page in (PAGE, "map.html"):
        said, files = copied(published["city"].files)
        said["build"] = "0" * 64
        files[page] = files[page].replace(b"</h1>", f"</h1><p>Only {number}.</p>".encode())
        assert failures(forged(said, files))


def test_most_are_found_without_a_ledger_and_a_signature():
    """What is missing are words of the publisher that leave no trace in any file."""
    for undone, missed, least in (
        (PAGE_UNDONE, NOT_CAUGHT, 0.98),
        (ALL_UNDONE, NOT_CAUGHT_REMADE, 0.93),
    ):
        real = set(TAMPERINGS) - undone
        assert len(real - set(missed)) >= least * len(real)


def unsigned(files, key):
    """What fails of the signature alone."""
    return [each.what for each in signed_by(copied(files)[0], key) if each.holds is False]


@pytest.mark.parametrize("how", ["kept", "left out", "by somebody else"])
def test_with_a_trusted_key_every_change_is_found(how, signed, signer, tmp_path):
    other, trusted = signature.make_key(tmp_path), signer.public_key
    assert unsigned(signed, trusted) == []
    for name in sorted(set(TAMPERINGS) - ALL_UNDONE):
        said, files = copied(signed)
        TAMPERINGS[name](said, files)
        if how == "left out":
            said["public key"] = said["signature"] = None
        elif how == "by somebody else":
            said["public key"] = other.public_key
        files = refingerprinted(said, files)
        if how == "by somebody else":
            said["signature"] = other.sign(said["digest"])
            files[NAME] = as_json(said)
            assert not [each for each in signed_by(said, None) if each.holds is False], name
        assert unsigned(files, trusted), name
