"""The views of Compare, a module each: controls, a live chart, a table, files."""
