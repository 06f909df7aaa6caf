"""A run step by step: its journal as frames, each with a title, a sentence and marks.

A frame may show what is true behind an answer, so frames are for data that anybody may look at.
"""

from dpcore.classroom.steps.frame_builder import Frame
from dpcore.classroom.steps.journal_frames import frames
from dpcore.classroom.steps.marks import Mark, MarkKind
from dpcore.classroom.steps.running_account import AccountLine, lines

__all__ = ["AccountLine", "Frame", "Mark", "MarkKind", "frames", "lines"]
