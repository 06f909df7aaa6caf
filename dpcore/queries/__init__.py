"""The curator, which is the only door to private data, and the questions it answers."""
