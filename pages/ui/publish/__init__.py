"""The steps of a release, from data to files, and the history of all of them."""
