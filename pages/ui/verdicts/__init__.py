"""The parts of Verdicts: the table of all methods, and a page for each."""
