"""The certificate as a page that prints on one sheet: made from its data, and from nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from html import escape
from typing import Any

from dpcore.privacy import explain
from dpcore.privacy.accounting import Neighbors
from dpcore.privacy.rounding import at_most

#: More charges than this are told together, mechanism by mechanism.
MOST_CHARGES = 8
#: What a sheet has room for of an argument, in letters; all of it is in the data.
SHOWN, MOST_LETTERS = ("Relation", "Private", "Flaw", "Repair"), 1700

STYLE = """\
@page { size: A4; margin: 12mm; }
:root { color-scheme: light dark; }
body { max-width: 50rem; margin: 0 auto; padding: 1rem; font: 15px/1.4 system-ui, sans-serif;
  overflow-wrap: anywhere; }
h1 { font-size: 1.3em; margin: 0; } h2 { font-size: 1em; margin: .8em 0 .15em; }
p { margin: .2em 0; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .1em .8em .1em 0; }
th { font-weight: 600; white-space: nowrap; } code { font-family: ui-monospace, monospace;
  font-size: .8em; } .figure { text-align: right; font-variant-numeric: tabular-nums; }
@media print { body { padding: 0; max-width: none; font-size: 8pt; line-height: 1.25; color: #000;
  background: #fff; } }
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def certificate_page(said: Mapping[str, Any]) -> str:
    """The page of a certificate."""
    unit, neighbors = said["unit"], Neighbors(said["neighbors"])
    protection = [
        explain.protected(unit["name"], neighbors, unit["ids"], unit["rows"]),
        explain.rows_of(said["source"]["kind"]),
        explain.attack(said["epsilon"], unit["name"], neighbors),
        explain.slip(said["delta"]) or "",
    ]
    parts = [
        f"<h1>Certificate of a private release: {escape(said['data set'])}</h1>",
        f"<p>{escape(' '.join(filter(None, protection)))}</p>",
        _facts(said),
        *_areas(said),
        "<h2>What was asked, and what it cost</h2>",
        _charges(said["transcript"]["charges"]),
        *_arguments(said["arguments"]),
        "<h2>Files</h2>",
        _files(said["files"]),
        f"<p>Fingerprint of this certificate: <code>{escape(said['digest'])}</code></p>",
        _ledger(said),
        f"<p>Noise: {explain.UNVETTED}</p>",
        _signature(said),
        "<p>To check: <code>dpcore verify certificate.json</code> beside the files.</p>",
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Certificate: {escape(said['data set'])}</title>"
        f"<style>{STYLE}</style></head>\n<body>" + "\n".join(parts) + "\n</body></html>\n"
    )


def _ledger(said: Mapping[str, Any]) -> str:
    """What the publisher's ledger held before this release."""
    return f"<p>Head of the ledger before it: <code>{escape(said['ledger before'])}</code></p>"


def _facts(said: Mapping[str, Any]) -> str:
    box, row, first = said["box"], said["budget of one row"], said["arguments"][0]
    ends = ", ".join(
        f"{name} {low:g} to {high:g}"
        for name, low, high in zip(box["names"], box["low"], box["high"], strict=True)
    )
    settings = ", ".join(f"{name} = {value}" for name, value in said["parameters"].items())
    facts = {
        "Algorithm": f"{first['title']} ({said['algorithm']}), dpcore {said['dpcore']}",
        "After": first["paper"],
        "Verdict": ", ".join(
            f"{each['algorithm']}: {each['verdict']}" for each in said["arguments"]
        ),
        "Settings": ", ".join(filter(None, [f"k = {said['k']}", settings])),
        "Privacy": f"{_privacy(said)}, under {said['neighbors']}",
        "Noise": _noise(said["noise"]),
        "Box": ends,
        "Asked for": said["time"],
    }
    if said["unit"]["rows"] > 1:
        facts["One row"] = _privacy(row)
    return _table(
        [(f"<th>{name}</th>", f"<td>{escape(text)}</td>") for name, text in facts.items()]
    )


def _areas(said: Mapping[str, Any]) -> Iterator[str]:
    """What the levels of the regions protect, where a release has any."""
    if "areas" in said:
        yield "<h2>A level for each area</h2>"
        yield f"<p>{escape(' '.join(said['areas']['statement']))}</p>"
        yield "<p>The areas are in <code>areas.geojson</code> and on the map.</p>"


def _privacy(amount: Mapping[str, Any]) -> str:
    return f"ε = {at_most(amount['epsilon'])}, δ = {at_most(amount['delta'])}"


def _noise(noise: Mapping[str, Any]) -> str:
    seed = "without a seed" if noise["seed"] is None else f"with seed {noise['seed']}"
    return f"{noise['library']} {noise['version']}, {seed}"


def _signature(said: Mapping[str, Any]) -> str:
    if said["public key"] is None:
        return "<p>This certificate is not signed.</p>"
    return (
        f"<p>Signed with the key <code>{escape(said['public key'])}</code>. "
        f"Signature: <code>{escape(str(said['signature']))}</code></p>"
    )


def _charges(charges: list[dict[str, Any]]) -> str:
    """Every charge, or where there are many, those of one mechanism together."""
    rows = [
        (Fraction(repr(charge["epsilon"])), charge["mechanism"], charge["why"])
        for charge in charges
    ]
    if len(rows) > MOST_CHARGES:
        kinds = dict.fromkeys(mechanism for _, mechanism, _ in rows)
        together = [[row for row in rows if row[1] == kind] for kind in kinds]
        rows = [
            (
                sum((row[0] for row in some), Fraction(0)),
                some[0][1],
                f"{len(some)} times; first: {some[0][2]}",
            )
            for some in together
        ]
    return _table(
        [
            (
                f'<td class="figure">{at_most(cost)}</td>',
                f"<td>{escape(what)}</td>",
                f"<td>{escape(why)}</td>",
            )
            for cost, what, why in rows
        ]
    )


def _arguments(arguments: list[dict[str, Any]]) -> Iterator[str]:
    for each in arguments:
        yield f"<h2>Why it is private: {escape(each['title'])}, {escape(each['verdict'])}</h2>"
        argument = each["argument"]
        text = " ".join(f"{label}: {argument[label]}" for label in SHOWN if label in argument)
        room = MOST_LETTERS // len(arguments)
        if len(text) > room:
            text = text[:room].rsplit(" ", 1)[0] + " …"
        yield f"<p>{escape(text)}</p>"


def _files(files: Mapping[str, Mapping[str, Any]]) -> str:
    return _table(
        [
            (f"<td>{escape(name)}</td>", f"<td><code>{escape(each['sha256'])}</code></td>")
            for name, each in files.items()
        ]
    )


def _table(rows: list[tuple[str, ...]]) -> str:
    body = "".join(f"<tr>{''.join(cells)}</tr>" for cells in rows)
    return f'<div class="scroll"><table>{body}</table></div>'
