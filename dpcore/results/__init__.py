"""Results of a run, private or not by type, and the files that private ones are written to."""
