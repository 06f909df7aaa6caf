"""A release in the words of data catalogs: a Frictionless data package.

Frictionless, not Croissant: it is one small JSON file beside the data, describes any table, and
needs no address on the web. Croissant describes data sets for machine learning by where they can
be downloaded, which a release does not know.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from dpcore.release.certificate import NAME as CERTIFICATE

#: The tables of a release, by the names of their files.
TABLES = ("centers.csv", "points.csv")
MEDIA = {
    "csv": "text/csv",
    "geojson": "application/geo+json",
    "html": "text/html",
    "ipynb": "application/x-ipynb+json",
    "json": "application/json",
    "parquet": "application/vnd.apache.parquet",
    "py": "text/x-python",
}
NAME = "datapackage.json"


def data_package(files: Mapping[str, bytes]) -> str:
    """The description of the files of a release, to be saved beside them as datapackage.json.

    It tells what the certificate tells, and nothing that was not released.
    """
    certificate = json.loads(files[CERTIFICATE])
    unit, name = certificate["unit"]["name"], certificate["data set"]
    package = {
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
        "name": "".join(c if c.isascii() and c.isalnum() else "-" for c in name.lower()),
        "title": f"Private release of {name}",
        "description": (
            f"{certificate['k']} cluster centers, found by {certificate['algorithm']} with "
            f"differential privacy: epsilon {certificate['epsilon']:g} for one {unit}, "
            f"under {certificate['neighbors']}. "
            f"{CERTIFICATE} states what is protected and how."
        ),
        "created": certificate["time"],
        "resources": [_resource(file, content, certificate) for file, content in files.items()],
        "differential privacy": {
            key: certificate[key]
            for key in ("epsilon", "delta", "neighbors", "unit", "algorithm", "box", "dpcore")
        },
    }
    return json.dumps(package, indent=1, ensure_ascii=False)


def _resource(file: str, content: bytes, certificate: Mapping[str, Any]) -> dict[str, Any]:
    ending = file.rsplit(".", 1)[-1]
    resource: dict[str, Any] = {
        "name": file.replace(".", "-"),
        "path": file,
        "format": ending,
        "mediatype": MEDIA.get(ending, "application/octet-stream"),
        "encoding": "utf-8",
        "bytes": len(content),
        "hash": f"sha256:{sha256(content).hexdigest()}",
    }
    if file in TABLES:
        header = next(csv.reader(io.StringIO(content.decode(), newline="")))
        names = set(certificate["box"]["names"])
        resource["profile"] = "tabular-data-resource"
        resource["schema"] = {"fields": [_field(column, names) for column in header]}
    elif ending == "parquet":
        # The library `frictionless` counts no bytes of Parquet files, and would miss these.
        del resource["encoding"], resource["bytes"]
    return resource


def _field(column: str, coordinates: set[str]) -> dict[str, str]:
    kind = "integer" if column == "center" and column not in coordinates else "number"
    return {"name": column, "type": kind}
