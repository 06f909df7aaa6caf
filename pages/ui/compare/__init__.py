"""The views of Compare, one module each."""
