"""Step 1: choose the data. Only the names of files and columns are read here."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePath

import streamlit as st

from dpcore.datasets import engines
from dpcore.datasets.builtin import BUILTIN
from pages.server import uploads
from pages.ui import (
    access,
    address,
    background,
    data_root,
    forgetting,
    fragments,
    limits,
    own_data,
    url_keys,
)
from pages.ui.access import Action
from pages.ui.background import Job
from pages.ui.own_data import facts
from pages.ui.publish import step_list
from pages.ui.publish.publish_step import PublishStep
from pages.ui.session_keys import SessionKey
from pages.ui.url_parsers import OneOf
from pages.ui.wording import plain

OPENING = SessionKey[Job["Opened"]]("opening files")
UPLOAD, PATH, SPARK, HELD, PUBLIC = "upload", "path", "spark", "held", "public"
#: Here no data are chosen until somebody chooses.
DATA = url_keys.DATA.by_default(None)
KINDS = {
    UPLOAD: (
        "Upload a file",
        "CSV, CSV.gz or Parquet, up to 50 MB. It stays in the memory of this visit, and the "
        "server writes it to no file. It is forgotten within a minute after you close or reload "
        "the page, or at once with “Forget my data”.",
    ),
    PATH: (
        "Files on this machine",
        "Any size: they are read where they are. Give a path, a folder or a pattern, such as "
        "trips/2015-*.parquet.",
    ),
    SPARK: ("A table in Spark", "By its name in the catalog of the Spark that is set up here."),
    HELD: ("Data opened before, in this visit", ""),
    PUBLIC: ("Public data", "Sample data, to try it out."),
}
#: What a visit must be allowed to do for each.
NEEDS = {
    UPLOAD: Action.BRING,
    PATH: Action.READ_FILES,
    SPARK: Action.READ_FILES,
    HELD: Action.BRING,
    PUBLIC: Action.PLAN,
}
#: Before a dot, Spark takes these for kinds of files, and what follows for a path.
FILES_IN_SPARK = {"avro", "binaryfile", "csv", "delta", "json", "orc", "parquet", "text"}
#: How the names begin of what the next steps ask; other files, other answers.
ASKED = ("asked", "columns", "place", "outside", "row", "who", "ids", "meaning", "person", "zones")


@dataclass(frozen=True)
class Opened:
    """Files whose column names were read, and nothing else."""

    title: str
    path: str
    engine: engines.Engine
    source: engines.Source
    format: str | None = None
    mark: str = field(default_factory=own_data.new_key)


def files() -> Opened | None:
    return own_data.OPENED.get()


def draw() -> None:
    with step_list.opened(PublishStep.DATA):
        kinds = [kind for kind in KINDS if access.may(NEEDS[kind]) and (kind != HELD or raw())]
        source = DATA.get() or ""
        usual = HELD if own_data.is_own(source) else PUBLIC if source else UPLOAD
        kind = address.control(
            st.radio,
            "Where is your data?",
            url_keys.SOURCE.narrowed(OneOf(kinds), usual),
            format_func=lambda kind: KINDS[kind][0],
            captions=[KINDS[kind][1] for kind in kinds],
        )
        {UPLOAD: upload, PATH: path, SPARK: table, HELD: choose_held, PUBLIC: public}[kind]()


def raw() -> list[str]:
    return [key for key, own in own_data.of_session().items() if not own.is_twin]


def upload() -> None:
    file = None
    if limits.room_for_uploads():
        file = st.file_uploader(
            "The file",
            type=["csv", "tsv", "txt", "gz", "parquet", "pq"],
            key=f"upload-{forgetting.times()}",
        )
    if next_button("" if file else "Choose a file.") and file:
        content = file.getvalue()
        engine = engines.IsolatedEngine(file.name, content)
        uploads.hold(engine, content)
        begin(file.name, engine)
    finish()


def path() -> None:
    where = step_list.remembered(
        st.text_input, "Path, folder or pattern", "path", "", placeholder="/data/trips/*.parquet"
    ).strip()
    if next_button("" if where else "Type where the files are."):
        begin(where, data_root.RootedEngine())
    finish()


def table() -> None:
    name = step_list.remembered(
        st.text_input, "Name of the table", "table", "", placeholder="city.trips"
    ).strip()
    is_file = "/" in name or name.partition(".")[0].casefold() in FILES_IN_SPARK
    if is_file:
        st.error("This names a file. Give the name of a table in the catalog.")
    if next_button("" if name and not is_file else "Type the name of a table."):
        begin(name, None, engines.Format.TABLE)
    finish()


def choose_held() -> None:
    known_data("held", raw())


def public() -> None:
    known_data("public", list(BUILTIN))


def known_data(name: str, keys: list[str]) -> None:
    """Draw a choice among data that are already open, and a button to the level."""
    current, titles = DATA.get(), {key: facts(key).title for key in keys}
    key = st.selectbox(
        "Which of them?",
        keys,
        index=keys.index(current) if current in keys else 0,
        format_func=titles.__getitem__,
        key=name,
    )
    if key in BUILTIN:
        st.caption(facts(key).description)
    if next_button():
        choose(key, PublishStep.LEVEL)
        st.rerun()


def next_button(missing: str = "") -> bool:
    """The foot of this step: what is missing, and the way on."""
    with step_list.foot("open"):
        words = f":material/info: {missing}" if missing else "Only the names of columns are read."
        st.markdown(words, width="stretch")
        return st.button("Continue", type="primary", key="open", disabled=bool(missing))


def choose(key: str, step: PublishStep) -> None:
    DATA.put(key)
    step_list.go(step)


def look(path: str, engine: engines.Engine | None, format: str | None = None) -> Opened:
    engine = engine or engines.SparkEngine()
    source = engine.look(path, format)
    name = PurePath(path).name or path
    ends = (".gz", ".csv", ".tsv", ".txt", ".parquet", ".pq")
    for end in ends:
        name = name.removesuffix(end)
    return Opened(name, path, engine, source, format)


def begin(path: str, engine: engines.Engine | None, format: str | None = None) -> None:
    """Start to read column names in the background. Spark takes a while to start."""
    if (before := OPENING.get()) is not None:
        before.stop()
    OPENING.put(
        background.begin(
            lambda: look(path, engine, format),
            lambda: ("Looking at the columns", engine.progress() if engine else 0.0),
            engine.stop if engine and engine.can_stop else None,
        )
    )


def finish() -> None:
    """Open the next step once the columns are known."""
    opened = fragments.result_of(OPENING, refuse)
    if opened is None:
        return
    own_data.OPENED.put(opened)
    step_list.forget(*[name for name in step_list.memory() if name.startswith(ASKED)])
    DATA.clear()
    step_list.go(PublishStep.PROTECT)
    st.rerun()


def refuse(failure: Exception) -> None:
    """Show what is wrong with a file. Errors of the program itself are raised."""
    if isinstance(failure, engines.ReadingStopped):
        st.info("Stopped. Nothing was kept of these data.", icon=":material/stop_circle:")
        return
    if not isinstance(failure, (engines.DataFileError, ValueError)):
        raise failure
    st.error(f"**These data cannot be read.** {plain(str(failure))}", icon=":material/error:")


def summary() -> str:
    """The chosen data, in a line."""
    opened = files()
    assert opened is not None
    number = len(opened.source.layouts)
    return plain(opened.title) + f" ({number:,} files)" * (number > 1)
