"""The parts of the classroom page."""
