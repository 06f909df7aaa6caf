"""Parts of the page Choose a level."""
