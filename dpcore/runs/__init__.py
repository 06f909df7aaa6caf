"""One run of an algorithm: on a data set or region by region, and bounds found privately."""
