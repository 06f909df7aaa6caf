"""Public geometry: boxes, grids, dyadic and Voronoi cells, and functions of single rows."""
