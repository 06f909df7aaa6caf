"""One run of an algorithm: on a data set, region by region, or as a scikit-learn estimator."""
