"""Public boxes with names: the ranges of positions, known without looking at any.

Degrees west to east and south to north, in round numbers and drawn generously. They are not
borders, and they say nothing of anybody's data.
"""

from __future__ import annotations

from dpcore.geometry.domain import Box

LONGITUDE_LATITUDE = ("longitude", "latitude")

#: West, south, east, north.
_ENDS: dict[str, tuple[float, float, float, float]] = {
    "New York, Manhattan and around it": (-74.1, 40.7, -73.9, 40.9),
    "New York, the five boroughs": (-74.3, 40.45, -73.65, 40.95),
    "Amsterdam": (4.7, 52.25, 5.1, 52.45),
    "Athens": (23.5, 37.8, 23.95, 38.15),
    "Beijing": (115.9, 39.6, 116.9, 40.3),
    "Berlin": (13.0, 52.3, 13.8, 52.7),
    "Boston": (-71.25, 42.2, -70.9, 42.45),
    "Buenos Aires": (-58.75, -34.85, -58.2, -34.45),
    "Cairo": (31.0, 29.85, 31.6, 30.25),
    "Chicago": (-88.0, 41.6, -87.4, 42.1),
    "Delhi": (76.8, 28.4, 77.4, 28.9),
    "Istanbul": (28.4, 40.75, 29.5, 41.35),
    "Jakarta": (106.6, -6.45, 107.05, -6.0),
    "Lagos": (3.0, 6.3, 3.75, 6.75),
    "London": (-0.6, 51.25, 0.4, 51.75),
    "Los Angeles": (-118.75, 33.65, -117.95, 34.4),
    "Madrid": (-3.95, 40.25, -3.45, 40.65),
    "Melbourne": (144.5, -38.2, 145.5, -37.5),
    "Mexico City": (-99.4, 19.15, -98.9, 19.65),
    "Moscow": (37.2, 55.5, 38.0, 56.0),
    "Mumbai": (72.7, 18.85, 73.1, 19.35),
    "Nairobi": (36.6, -1.5, 37.15, -1.1),
    "Paris": (2.1, 48.7, 2.6, 49.05),
    "Porto": (-8.75, 41.05, -8.5, 41.25),
    "Rome": (12.2, 41.65, 12.8, 42.1),
    "San Francisco": (-122.6, 37.6, -122.3, 37.9),
    "São Paulo (Sao Paulo)": (-46.9, -23.85, -46.3, -23.3),
    "Seoul": (126.7, 37.4, 127.25, 37.75),
    "Shanghai": (120.8, 30.7, 122.0, 31.9),
    "Singapore": (103.55, 1.15, 104.15, 1.5),
    "Sydney": (150.5, -34.2, 151.4, -33.5),
    "Tokyo": (139.4, 35.4, 140.0, 35.95),
    "Toronto": (-79.7, 43.55, -79.1, 43.9),
    "Argentina": (-74.0, -56.0, -53.0, -21.0),
    "Australia": (112.0, -44.0, 154.0, -10.0),
    "Austria": (9.0, 46.0, 17.5, 49.5),
    "Belgium": (2.0, 49.0, 7.0, 52.0),
    "Brazil": (-74.5, -34.0, -34.0, 6.0),
    "Canada": (-142.0, 41.0, -52.0, 84.0),
    "Chile": (-76.0, -56.5, -66.0, -17.0),
    "China": (73.0, 18.0, 135.5, 54.0),
    "Colombia": (-80.0, -5.0, -66.0, 13.0),
    "Denmark (without Greenland)": (7.5, 54.0, 15.5, 58.0),
    "Egypt": (24.0, 21.5, 37.5, 32.0),
    "Ethiopia": (32.5, 3.0, 48.5, 15.0),
    "Finland": (19.0, 59.0, 32.0, 70.5),
    "France (in Europe)": (-5.5, 41.0, 10.0, 51.5),
    "Germany": (5.5, 47.0, 15.5, 55.5),
    "Greece": (19.0, 34.5, 30.0, 42.0),
    "India": (68.0, 6.0, 98.0, 36.0),
    "Indonesia": (94.5, -11.5, 141.5, 6.5),
    "Ireland": (-11.0, 51.0, -5.0, 56.0),
    "Israel": (34.0, 29.0, 36.0, 33.5),
    "Italy": (6.5, 35.0, 19.0, 47.5),
    "Japan": (122.0, 24.0, 146.5, 46.0),
    "Kenya": (33.5, -5.0, 42.0, 5.5),
    "Malaysia": (99.0, 0.5, 120.0, 7.5),
    "Mexico": (-118.5, 14.0, -86.5, 33.0),
    "Netherlands (in Europe)": (3.0, 50.5, 7.5, 54.0),
    "New Zealand": (166.0, -48.0, 179.0, -34.0),
    "Nigeria": (2.5, 4.0, 15.0, 14.0),
    "Norway (the mainland)": (4.0, 57.5, 31.5, 71.5),
    "Pakistan": (60.5, 23.5, 77.5, 37.5),
    "Peru": (-82.0, -19.0, -68.0, 0.5),
    "Philippines": (116.5, 4.5, 127.0, 21.5),
    "Poland": (14.0, 48.5, 24.5, 55.0),
    "Portugal (the mainland)": (-10.0, 36.5, -6.0, 42.5),
    "Saudi Arabia": (34.0, 16.0, 56.0, 32.5),
    "South Africa": (16.0, -35.0, 33.5, -22.0),
    "South Korea": (124.5, 33.0, 132.0, 39.0),
    "Spain (without the Canaries)": (-10.0, 35.5, 5.0, 44.0),
    "Sweden": (10.5, 55.0, 24.5, 69.5),
    "Switzerland": (5.5, 45.5, 11.0, 48.0),
    "Taiwan": (118.0, 21.5, 122.5, 26.5),
    "Thailand": (97.0, 5.5, 106.0, 20.5),
    "Turkey": (25.5, 35.5, 45.0, 42.5),
    "Ukraine": (22.0, 44.0, 40.5, 52.5),
    "United Kingdom": (-9.0, 49.5, 2.5, 61.0),
    "United States (48 states)": (-125.0, 24.0, -66.5, 49.5),
    "Vietnam": (102.0, 8.0, 110.0, 23.5),
    "Africa": (-26.0, -35.0, 60.0, 38.0),
    "Asia": (25.0, -12.0, 180.0, 82.0),
    "Europe": (-32.0, 34.0, 70.0, 82.0),
    "North America": (-170.0, 5.0, -50.0, 84.0),
    "South America": (-93.0, -57.0, -32.0, 15.0),
    "The world": (-180.0, -90.0, 180.0, 90.0),
}

#: Cities first, New York before all; then countries, continents and the world.
PLACES: dict[str, Box] = {
    name: Box((west, south), (east, north), LONGITUDE_LATITUDE)
    for name, (west, south, east, north) in _ENDS.items()
}
