"""Ratios against the physical limit, against the field, and against the bars we set ourselves."""
