"""Non-private k-means kernels. They see counts, rows or points, and know nothing of privacy."""
