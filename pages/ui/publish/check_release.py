"""Check a release in the browser: what `dpcore verify` checks, in words."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dpcore.release.certificate import NAME as CERTIFICATE
from dpcore.release.finding import Finding
from dpcore.release.opening import told_of
from dpcore.release.signature import PREFIX, public_key_bytes
from dpcore.release.verify import verify
from pages.ui import background, fragments
from pages.ui.background import Job
from pages.ui.publish import open_release
from pages.ui.publish.open_release import OpenedRelease
from pages.ui.session_keys import SessionKey
from pages.ui.wording import plain

CHECKING = SessionKey[tuple[object, Job[list[Finding]]]]("checking a release")


def draw() -> None:
    release = open_release.choose()
    if release is None:
        return
    key = key_control()
    if CERTIFICATE not in release.files.files:
        st.error("**This is no release:** it has no certificate.json.", icon=":material/error:")
        return
    mark_and_key = (release.mark, key)
    memory = CHECKING.get()
    if memory is None or (memory[0] != mark_and_key and memory[1].done):
        memory = mark_and_key, begin(release, key)
        CHECKING.put(memory)
    job = memory[1]
    if not fragments.watch(job):
        return
    if memory[0] != mark_and_key:
        st.rerun()  # one check at a time: each may take a minute
    if job.failure:
        raise job.failure
    tell(job.result)


def key_control() -> str | None:
    """The publisher's key as text; a path would read a file of the server."""
    key = st.text_input(
        "The publisher's public key, if you have it",
        key="public-key",
        placeholder=f"{PREFIX}…",
        autocomplete="off",
    ).strip()
    if not key:
        return None
    try:
        public_key_bytes(key)
    except ValueError:
        st.warning(f"This is no public key. One begins with {PREFIX}.")
        return None
    return key


def begin(release: OpenedRelease, key: str | None) -> Job[list[Finding]]:
    files = dict(release.files.files)
    certificate = files[CERTIFICATE]
    return background.begin(
        lambda: verify(certificate, named(files), key), lambda: ("Checking", 0.0)
    )


def named(files: dict[str, bytes]) -> dict[str, bytes]:
    """The files that a certificate lists. It makes no claim about other files."""
    return {name: files[name] for name in told_of(files) if name in files}


def tell(findings: Sequence[Finding]) -> None:
    """Show what holds, what fails and what nobody can tell."""
    failed = [each for each in findings if each.holds is False]
    passes = [each for each in findings if each.holds]
    by_hash = [each for each in findings if each.by_hash]
    unknown = [each for each in findings if each.holds is None and not each.by_hash]
    number = len(failed) + len(passes)
    if failed:
        st.error(
            f"**{len(failed)} of {number} checks fail.** Do not rely on these files; ask their "
            "publisher for them again.",
            icon=":material/gpp_bad:",
        )
        listed(failed, ":red[:material/close:]")
    else:
        st.success(
            f"**All {number} checks hold.** These files are as they were published, and what the "
            "certificate says of its noise and its budget adds up.",
            icon=":material/verified_user:",
        )
    left, right = st.columns(2, gap="medium")
    with left, st.expander(f"**What holds** ({len(passes)})"):
        listed(passes, ":green[:material/check:]")
    if by_hash:
        with right, st.container(border=True, key="by-hash"):
            st.markdown(f"**Made by another version of dpcore** ({len(by_hash)})")
            st.caption("Words and drawings of these files were not compared with the certificate.")
            listed(by_hash, ":orange[:material/tag:]")
    with right, st.container(border=True, key="unknown"):
        st.markdown(f"**What nobody can tell from files** ({len(unknown)})")
        listed(unknown, ":gray[:material/help:]")
    st.caption("The same in a shell, in the folder of the files: dpcore verify certificate.json")


def listed(findings: Sequence[Finding], mark: str) -> None:
    lines = [
        f"{mark} {plain(sentence(each.what))}" + f" {plain(sentence(each.why))}" * bool(each.why)
        for each in findings
    ]
    st.markdown("  \n".join(lines))


def sentence(text: str) -> str:
    """Words with a capital, unless they begin with a name or a sign, and with a full stop."""
    first = text.partition(" ")[0]
    text = f"{text[:1].upper()}{text[1:]}" if first.isascii() and first.isalpha() else text
    return text + "." * (not text.endswith((".", "!", "?")))
