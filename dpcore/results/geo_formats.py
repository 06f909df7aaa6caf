"""Places as GeoParquet, KML and a map for Kepler.gl, with their status inside."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np

if TYPE_CHECKING:
    from dpcore.results.formats import Places

#: The column of shapes in GeoParquet.
SHAPE = "geometry"
#: Degrees of longitude that a map of the whole world shows at zoom 0.
WORLD = 360.0
KML = """\
<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2">
<Document><name>{name}</name>{description}
{places}
</Document>
</kml>
"""


def geoparquet(places: Places) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Columns and metadata of GeoParquet 1.1: a point for each place, or a line between two.

    Longitude comes first.
    """
    import shapely

    corners = places.in_degrees()
    lines = corners.shape[1] > 2
    shapes = (
        shapely.linestrings(corners.reshape(len(corners), -1, 2))
        if lines
        else shapely.points(corners)
    )
    about = {
        "version": "1.1.0",
        "primary_column": SHAPE,
        "columns": {
            SHAPE: {
                "encoding": "WKB",
                "geometry_types": ["LineString" if lines else "Point"],
                # Without a word it is longitude and latitude; null says that nobody knows.
                **({} if places.named_in_degrees else {"crs": None}),
            }
        },
    }
    columns = places.columns()
    columns[places.box.beside(SHAPE)] = np.array(shapely.to_wkb(shapes), dtype=object)
    metadata = {"geo": json.dumps(about)}
    return columns, metadata | ({"status": places.status} if places.status else {})


def as_kml(places: Places, name: str) -> str:
    """Placemarks for Google Earth and other globes; their properties are listed with each."""
    corners = places.in_degrees()
    beside = {**places.properties}
    if places.status:
        beside["status"] = np.full(len(corners), places.status)
    marks = []
    for i, corner in enumerate(corners.tolist()):
        data = "".join(
            f"<Data name={quoteattr(key)}><value>{escape(str(values[i]))}</value></Data>"
            for key, values in beside.items()
        )
        pairs = " ".join(f"{corner[j]!r},{corner[j + 1]!r}" for j in range(0, len(corner), 2))
        kind = "Point" if len(corner) == 2 else "LineString"
        marks.append(
            f"<Placemark><ExtendedData>{data}</ExtendedData>"
            f"<{kind}><coordinates>{pairs}</coordinates></{kind}></Placemark>"
        )
    description = f"<description>{escape(places.status)}</description>" if places.status else ""
    return KML.format(name=escape(name), description=description, places="\n".join(marks))


def as_kepler(places: Places, name: str) -> str:
    """A map that Kepler.gl opens: the data and a layer that draws them, sized by weight."""
    corners = places.in_degrees()
    columns = places.columns()
    fields = [{"name": key, "type": _kepler_type(values)} for key, values in columns.items()]
    rows = [list(row) for row in zip(*(v.tolist() for v in columns.values()), strict=True)]
    ends = _names(places)
    sized = places.box.beside("weight") if "weight" in places.properties else None
    label = f"{name} ({places.status})" if places.status else name
    ways = ("lng", "lat") if len(ends) == 2 else ("lng0", "lat0", "lng1", "lat1")
    layer = {
        "id": name,
        "type": "point" if len(ends) == 2 else "line",
        "config": {
            "dataId": name,
            "label": label,
            "columns": dict(zip(ways, ends, strict=True)),
            "isVisible": True,
        },
        "visualChannels": {
            "sizeField": {"name": sized, "type": "real"} if sized else None,
            "sizeScale": "sqrt",
        },
    }
    points = corners if len(corners) else np.zeros((1, corners.shape[1]))
    low, high = points.min(axis=0), points.max(axis=0)
    state = {
        "longitude": float((low[0] + high[0]) / 2),
        "latitude": float((low[1] + high[1]) / 2),
        "zoom": float(np.clip(np.log2(WORLD / max(high[0] - low[0], 1e-3)), 1, 15)),
    }
    config = {"visState": {"layers": [layer]}, "mapState": state, "mapStyle": {}}
    data = {"id": name, "label": label, "allData": rows, "fields": fields}
    settings = {
        "datasets": [{"version": "v1", "data": data}],
        "config": {"version": "v1", "config": config},
        "info": {"app": "kepler.gl", **({"description": places.status} if places.status else {})},
    }
    return json.dumps(settings)


def _names(places: Places) -> list[str]:
    """The columns of longitude and latitude, in this order."""
    return [places.box.names[axis] for axis in places.order]


def _kepler_type(values: Any) -> str:
    kinds = {"i": "integer", "f": "real"}
    return kinds.get(np.asarray(values).dtype.kind, "string")
