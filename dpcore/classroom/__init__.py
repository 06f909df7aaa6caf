"""Material for a class: runs step by step, the guessing game, and lessons."""
