"""Zoom by a rectangle that the mouse draws over a chart, kept while the chart is drawn anew.

Streamlit puts a new chart in the place of one whose figure changed, as it does while runs come in.
What a person does inside of the old one, even a rectangle half drawn, would be gone with it. So the
rectangle is drawn here, and the page keeps what it chose and draws the axes that way.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import streamlit as st

from pages.ui import session_keys
from pages.ui.session_keys import SessionKey

Range = tuple[float, float]
#: A rectangle narrower or lower than so many pixels chooses nothing along that axis.
SHORTEST = 12
SCRIPT = """
let start, band, chosen, last;
export default function ({ data, setTriggerValue }) {
  const plots = () => document.querySelectorAll(`.st-key-${data.chart} .js-plotly-plot`);
  const ground = (plot) => plot?.querySelector(".nsewdrag")?.getBoundingClientRect();
  // While a chart takes the place of another, there are two, or none.
  const plot = () => [...plots()].findLast((each) => ground(each)?.width);
  const between = (least, value, most) => Math.min(Math.max(value, least), most);
  const end = () => {
    start = chosen = undefined;
    band?.remove();
    band = undefined;
  };
  const down = (event) => {
    const shown = plot(), area = shown ? ground(shown) : last;
    const { clientX: x, clientY: y } = event;
    const here = !shown || event.target.closest?.(`.st-key-${data.chart}`);
    if (!event.isTrusted || event.button !== 0 || !area || !here) return;
    if (x < area.left || x > area.right || y < area.top || y > area.bottom) return;
    // The chart learns of it once this is a click: by then it may be another one.
    event.stopPropagation();
    event.preventDefault();
    start = { x, y };
  };
  const move = (event) => {
    const area = ground(plot());
    last = area ?? last;
    if (!start || !area) return;
    if (!event.buttons) return end();
    const x = between(area.left, event.clientX, area.right);
    const y = between(area.top, event.clientY, area.bottom);
    const left = Math.min(x, start.x), width = Math.abs(x - start.x);
    const top = Math.min(y, start.y), height = Math.abs(y - start.y);
    if (Math.max(width, height) < data.shortest) return;
    if (!band) {
      band = document.createElement("div");
      band.className = "chart-zoom";
      document.body.append(band);
    }
    Object.assign(band.style, {
      position: "fixed", zIndex: 999, pointerEvents: "none",
      left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px`,
      border: `1px solid ${data.color}`, background: `${data.color}22`,
    });
    const part = ([low, high], from, size, whole) => size < data.shortest ? [low, high]
      : [from, from + size].map((at) => low + (high - low) * at / whole);
    const { xaxis, yaxis } = plot()._fullLayout;
    chosen = {
      axes: data.axes,
      x: part(xaxis.range, left - area.left, width, area.width),
      y: part(yaxis.range, area.bottom - top - height, height, area.height),
    };
  };
  const up = (event) => {
    if (!start || event.button !== 0) return;
    if (chosen) {
      setTriggerValue("chosen", chosen);
    } else {
      const { clientX, clientY } = event;
      const said = { bubbles: true, cancelable: true, view: window, clientX, clientY };
      event.target.dispatchEvent(new MouseEvent("mousedown", said));
    }
    end();
  };
  const twice = (event) => {
    const here = event.target.closest?.(`.st-key-${data.chart}`);
    if (here) setTriggerValue("chosen", { axes: data.axes });
  };
  const heard = { mousedown: down, mousemove: move, mouseup: up, dblclick: twice };
  for (const [name, listener] of Object.entries(heard))
    document.addEventListener(name, listener, true);
  return () => {
    for (const [name, listener] of Object.entries(heard))
      document.removeEventListener(name, listener, true);
  };
}
"""
_watcher = st.components.v2.component("chart-zoom", js=SCRIPT)


@dataclass(frozen=True)
class ChartZoom:
    """The part of a chart that is shown, in the units of its axes: powers of ten on logarithmic
    ones."""

    x: Range
    y: Range


def current(chart: str, axes: str) -> ChartZoom | None:
    """The zoom of a chart while it has these axes; None where all of it is shown."""
    kept_axes, zoom = zoom_key(chart).get() or ("", None)
    return zoom if kept_axes == axes else None


def watch(chart: str, axes: str, color: str) -> None:
    """Let a rectangle zoom the chart of this name; a double click, or a button, shows all of it.

    A zoom belongs to axes: with others, all is shown again.
    """
    key = f"zoom-of-{chart}"
    data = {"chart": chart, "axes": axes, "shortest": SHORTEST, "color": color}
    _watcher(key=key, data=data, on_chosen_change=partial(choose, chart, key))
    if current(chart, axes):
        st.button(
            "Show the whole chart",
            key=f"whole-{chart}",
            icon=":material/zoom_out_map:",
            on_click=show_all,
            args=(chart,),
        )


def choose(chart: str, key: str) -> None:
    """Keep what a rectangle chose; a double click chose nothing."""
    rectangle = session_keys.of_widget(key).chosen
    if not rectangle or "x" not in rectangle:
        show_all(chart)
        return
    x, y = ((float(low), float(high)) for low, high in (rectangle["x"], rectangle["y"]))
    zoom_key(chart).put((rectangle["axes"], ChartZoom(x, y)))


def show_all(chart: str) -> None:
    zoom_key(chart).pop()


def zoom_key(chart: str) -> SessionKey[tuple[str, ChartZoom | None]]:
    """The axes that a chart was zoomed on, and the zoom."""
    return SessionKey(f"zoom {chart}")
