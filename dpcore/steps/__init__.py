"""A run told step by step: its journal as frames, each with a title, a sentence and marks.

A frame may show what is true behind an answer, so frames are for data that anybody may look at.
"""

from dpcore.steps.account import Line, lines
from dpcore.steps.marks import Kind, Mark
from dpcore.steps.story import frames, playable
from dpcore.steps.telling import Frame

__all__ = ["Frame", "Kind", "Line", "Mark", "frames", "lines", "playable"]
