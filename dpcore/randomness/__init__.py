"""The coins of a run: all of its randomness except the noise on answers."""
