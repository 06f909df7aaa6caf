// The map of the dashboard: Leaflet moves it, a canvas shows it. Everything comes from this server.

import { degrees, load, mercator, paint, paintDegrees, paintStreets } from './ground.js';
import { coveredBy, paintDrawing } from './drawing.js';
import * as marks from './marks.js';
import { meet, paintNames, placed } from './names.js';
import { save } from './save.js';
import { Sketch } from './sketch.js';
import { Tiles } from './tiles.js';

const here = new URL('.', import.meta.url);
const added = (kind, settings) => new Promise((resolve, reject) => {
  document.head.append(Object.assign(document.createElement(kind), settings, { onload: resolve, onerror: reject }));
});
let leaflet;
const library = () => leaflet ??= Promise.all([
  ...['leaflet.css', 'map.css'].map(name => added('link', { rel: 'stylesheet', href: new URL(name, here) })),
  added('script', { src: new URL('leaflet.js', here) }),
]).then(() => globalThis.L);

const SYNCED = new Map();
const calm = matchMedia('(prefers-reduced-motion: reduce)');
const ease = t => 1 - (1 - t) ** 3;
// Zoom steps, each twice as large, by which a map may be too small for what is to be seen.
const FAR = 3;

class CityMap {
  constructor(root, L) {
    this.root = root; this.L = L; this.shown = null; this.names = [];
    const box = root.querySelector('.map-box');
    const coarse = matchMedia('(pointer: coarse)').matches;
    this.map = L.map(box, {
      zoomControl: false, attributionControl: false, scrollWheelZoom: false, dragging: !coarse,
      zoomSnap: 0, zoomDelta: 1, minZoom: 2, maxZoom: 18, zoomAnimation: false, fadeAnimation: false,
      doubleClickZoom: false, worldCopyJump: false, inertia: !calm.matches, keyboard: true,
    });
    this.canvas = Object.assign(document.createElement('canvas'), { className: 'map-canvas' });
    box.prepend(this.canvas);
    this.tip = root.querySelector('.map-tip');
    this.controls(L);
    for (const kind of ['pointerdown', 'keydown']) box.addEventListener(kind, () => { this.touched = true; });
    box.addEventListener('keydown', event => this.key(event), { capture: true });
    this.map.on('move zoom resize', () => { this.share(); this.repaint(); });
    box.addEventListener('wheel', event => this.wheel(event), { passive: false });
    box.addEventListener('pointermove', event => this.hover(event));
    box.addEventListener('pointerleave', () => { this.tip.hidden = true; });
    this.map.on('click', event => this.click(event));
    this.sketch = new Sketch(this);
    new ResizeObserver(() => { this.map.invalidateSize({ animate: false }); this.repaint(); }).observe(box);
    document.fonts?.ready.then(() => this.repaint());
    root.querySelector('.map-key').addEventListener('toggle', () => this.repaint());
    document.addEventListener('fullscreenchange', () => this.fullChanged());
  }

  controls(L) {
    L.control.scale({ position: 'bottomleft', maxWidth: 110 }).addTo(this.map);
    const bar = this.root.querySelector('.map-bar');
    const zoomBy = step => { this.touched = true; this.zoomBy(step); };
    const actions = {
      'zoom-in': () => zoomBy(1), 'zoom-out': () => zoomBy(-1), fit: () => { this.touched = false; this.fit(true); },
      full: () => this.full(), png: () => save(this, 'png'), svg: () => save(this, 'svg'), rectangle: () => this.sketch.start('rectangle'), polygon: () => this.sketch.start('polygon'),
    };
    bar.addEventListener('click', event => {
      const button = event.target.closest('button');
      if (button) { event.stopPropagation(); actions[button.dataset.does]?.(); button.closest('details')?.removeAttribute('open'); }
    });
    L.DomEvent.disableClickPropagation(bar);
  }

  // The view.

  view() {
    const { map } = this, zoom = map.getZoom(), size = map.getSize(), scale = 2 ** zoom, bounds = map.getBounds();
    const corner = map.containerPointToLayerPoint([0, 0]).add(map.getPixelOrigin());
    const pixel = ([x, y]) => [x * scale - corner.x, y * scale - corner.y];
    return {
      zoom, scale, left: corner.x, top: corner.y, size: [size.x, size.y], ratio: Math.min(2, devicePixelRatio || 1),
      west: bounds.getWest(), east: bounds.getEast(), south: bounds.getSouth(), north: bounds.getNorth(),
      pixel, at: ([lon, lat]) => pixel(mercator(lon, lat)),
      place: (x, y) => { const { lng, lat } = map.containerPointToLatLng([x, y]); return [lng, lat]; },
    };
  }

  fit(animate) {
    const [[west, south], [east, north]] = this.shown.data.view, { map } = this, zoom = this.zoomFor(this.shown.data.view);
    // The middle as it looks on the map, not in degrees.
    const low = map.project([south, west], zoom), high = map.project([north, east], zoom);
    this.go(map.unproject(low.add(high).divideBy(2), zoom), zoom, animate);
  }

  // The zoom at which a view fills the map.
  zoomFor([[west, south], [east, north]]) {
    const { map, L } = this, bounds = L.latLngBounds([south, west], [north, east]);
    return Math.max(2, Math.min(16, map.getBoundsZoom(bounds, false, L.point(44, 44))));
  }

  // Whether the map holds what must be seen, not far too small where that is at another place,
  // or a person has chosen another view.
  fits(view) {
    const [[west, south], [east, north]] = view, { map, place: known } = this;
    const place = this.place = [west, south, east, north].map(x => Math.round(x * 2)).join();
    if (!map._loaded) return false;
    if (this.touched && known === place) return true;
    const isFar = known !== place && this.zoomFor(view) - map.getZoom() > FAR;
    return !isFar && map.getBounds().contains([[south, west], [north, east]]);
  }

  // A second step begins where the first one is going, not where it has come to.
  zoomBy(step) {
    const { center, zoom } = this.going ?? { center: this.map.getCenter(), zoom: this.map.getZoom() };
    this.go(center, zoom + step, true);
  }

  // Every key stops what is moving; Leaflet would otherwise be overruled by the next frame.
  key(event) {
    const step = { '+': 1, '=': 1, '-': -1, _: -1 }[event.key];
    if (step && event.target === this.map.getContainer() && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault(); event.stopPropagation(); this.zoomBy(step);
    } else if (event.key.startsWith('Arrow')) this.stop();
  }

  stop() { cancelAnimationFrame(this.moving); this.going = null; }

  go(center, zoom, animate) {
    this.stop();
    const { map } = this, target = Math.max(map.getMinZoom(), Math.min(map.getMaxZoom(), zoom));
    if (!animate || calm.matches) { map.setView(center, target, { animate: false }); return; }
    const from = map.getCenter(), first = map.getZoom(), began = performance.now();
    const step = now => {
      const t = ease(Math.min(1, (now - began) / 220));
      const at = [from.lat + (center.lat - from.lat) * t, from.lng + (center.lng - from.lng) * t];
      map.setView(t < 1 ? at : center, first + (target - first) * t, { animate: false });
      if (t < 1) this.moving = requestAnimationFrame(step);
      else this.going = null;
    };
    this.going = { center, zoom: target };
    this.moving = requestAnimationFrame(step);
  }

  wheel(event) {
    if (!event.ctrlKey && !event.metaKey) { this.root.classList.add('map-hinted'); clearTimeout(this.hint); this.hint = setTimeout(() => this.root.classList.remove('map-hinted'), 1200); return; }
    event.preventDefault();
    this.touched = true;
    this.stop();
    const zoom = this.map.getZoom() - event.deltaY * (event.deltaMode ? .08 : .003);
    const target = Math.max(this.map.getMinZoom(), Math.min(this.map.getMaxZoom(), zoom));
    this.map.setZoomAround(this.map.mouseEventToContainerPoint(event), target, { animate: false });
  }

  full() { if (document.fullscreenElement === this.root) document.exitFullscreen(); else this.root.requestFullscreen?.(); }

  fullChanged() {
    const isFull = document.fullscreenElement === this.root;
    const button = this.root.querySelector('[data-does=full]');
    button.setAttribute('aria-pressed', isFull);
    button.title = button.ariaLabel = isFull ? 'Leave full screen' : 'Full screen';
  }

  share() {
    const group = this.shown?.data.sync;
    if (!group || this.following) return;
    SYNCED.set(group, { center: this.map.getCenter(), zoom: this.map.getZoom() });
    for (const other of CityMap.all) {
      if (other === this || other.shown?.data.sync !== group || !other.root.isConnected) continue;
      other.following = true;
      other.map.setView(this.map.getCenter(), this.map.getZoom(), { animate: false });
      other.following = false;
    }
  }

  // What is shown.

  async show(data) {
    const turn = this.turn = (this.turn ?? 0) + 1;
    const [[west, south], [east, north]] = data.view;
    const [ground, rows] = await Promise.all([
      load(data.new_york, [west, south, east, north]), data.points ? marks.unpack(data.points) : null,
    ]);
    if (turn !== this.turn) return;
    ground.repaint = () => CityMap.all.forEach(each => each.repaint());
    const before = this.shown;
    const labels = [...ground.labels, ...ground.towns].sort((a, b) => b.rank - a.rank);
    const pictures = data.pictures.map(each => Object.assign(each, { image: Object.assign(new Image(), { onload: () => this.repaint(), src: each.url }) }));
    this.shown = {
      turn, data, ground, labels, pictures, points: rows && { ...data.points, rows },
      areas: marks.withShapes(data.areas, ground), pick: data.pick ? ground[data.pick] : null,
    };
    this.root.style.setProperty('--map-water', data.colors.water);
    for (const [name, color] of Object.entries(data.colors)) this.root.style.setProperty(`--map-${name}`, color);
    this.root.classList.toggle('map-draws', Boolean(data.draw));
    this.root.querySelector('.map-save').hidden = !data.file;
    this.tiles = data.tiles && (this.tiles?.url === data.tiles.url ? this.tiles : new Tiles(data.tiles.url, () => this.repaint()));
    const credit = this.root.querySelector('.map-credit');
    credit.dataset.own ??= credit.textContent;
    credit.textContent = data.tiles ? `${data.tiles.credit} · ${data.tiles.host} sees which area you look at` : credit.dataset.own + (data.new_york ? ' · New York City' : ' · small lakes and many rivers are missing');
    this.legend(data);
    // Where a click places something, arrow keys belong to the page.
    this.map.keyboard[data.place ? 'disable' : 'enable']();
    if (!this.fits(data.view)) {
      const shared = data.sync && SYNCED.get(data.sync);
      if (shared && CityMap.all.size > 1 && before === null) { this.following = true; this.go(shared.center, shared.zoom); this.following = false; } else this.fit(false);
    }
    this.animate(before?.data.centers);
    this.root.dataset.shown = data.key;
  }

  // Centers glide to their new places; a person who prefers less motion sees them there at once.
  animate(before) {
    const { centers, shifts } = this.shown.data, goal = centers.map(center => center.at);
    cancelAnimationFrame(this.gliding);
    this.gliding = 0;
    if (!before || before.length !== centers.length || calm.matches) { this.repaint(); return; }
    // From where they are now, even if they have not arrived yet. Their arrows follow them.
    // A slow machine shows fewer steps, but some.
    const start = before.map(center => center.at);
    let spent = 0, last = performance.now();
    const step = now => {
      spent += Math.max(0, Math.min(90, now - last)); last = now;
      const t = ease(Math.min(1, spent / 350));
      centers.forEach((center, i) => {
        center.at = t < 1 ? goal[i].map((x, axis) => start[i][axis] + (x - start[i][axis]) * t) : goal[i];
        if (shifts.length === centers.length) shifts[i].to = center.at;
      });
      this.paintNow();
      this.gliding = t < 1 ? requestAnimationFrame(step) : 0;
    };
    step(last);
  }

  legend(data) {
    const list = this.root.querySelector('.map-legend');
    list.replaceChildren(...data.legend.map(({ mark, color, size = 14, words }) => {
      const row = document.createElement('li'), sign = document.createElement('span');
      sign.className = `map-sign map-${mark}`;
      sign.style.setProperty('--color', color); sign.style.setProperty('--size', `${size}px`);
      row.append(sign, words);
      return row;
    }));
    const box = this.root.querySelector('.map-key');
    box.hidden = !data.legend.length;
    // On a narrow map it would cover what it explains: there it opens on request.
    if (box.open && !this.legendSeen && this.root.clientWidth < 520) box.open = false;
    this.legendSeen = true;
  }

  // Whether all is there, at its place and painted: nothing is to come until somebody moves it.
  get isStill() {
    if (!this.shown || this.turn !== this.shown.turn || this.due || this.gliding || this.going) return false;
    return this.shown.ground.isWhole && this.shown.pictures.every(({ image }) => image.complete);
  }

  repaint() {
    if (!this.shown || this.due) return;
    this.due = requestAnimationFrame(() => this.paintNow());
  }

  paintNow() {
    this.due = 0;
    const { shown, canvas } = this;
    if (!shown || !this.root.isConnected || !this.map._loaded) return;
    const view = this.view(), pen = canvas.getContext('2d', { alpha: false });
    const [wide, high] = view.size.map(side => Math.round(side * view.ratio));
    if (canvas.width !== wide || canvas.height !== high) { canvas.width = wide; canvas.height = high; }
    const began = performance.now();
    this.paint(pen, view);
    this.sketch.paint(pen, view, shown.data.colors);
    this.frame = performance.now() - began;
  }

  // Draw all layers with any pen: that of the canvas on the screen, or of a file.
  paint(pen, view, above = this.controlBoxes()) {
    const { shown } = this, { data, ground } = shown, { colors } = data;
    const flat = () => pen.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
    flat(); pen.fillStyle = colors.water; pen.fillRect(0, 0, ...view.size);
    paint(pen, ground, view, colors); flat();
    if (this.tiles) this.tiles.paint(pen, view);
    marks.paintAreas(pen, shown.areas, view);
    if (!this.tiles) paintStreets(pen, ground, view, colors);
    flat();
    marks.paintPictures(pen, shown.pictures, view);
    if (data.cells) marks.paintCells(pen, data.cells, view, colors);
    if (shown.points) marks.paintPoints(pen, shown.points, view, colors);
    paintDrawing(pen, data.drawing.filter(layer => !layer.over), view, colors);
    const chips = marks.chips(pen, data, view);
    const words = this.tiles ? [] : degrees(ground, view).filter(each => !above.some(box => meet(box, each.box)));
    const taken = [...above, ...words.map(each => each.box), ...marks.keepClear(data, view), ...coveredBy(data.drawing, view), ...chips.map(chip => chip.box)];
    this.names = placed(pen, [...this.areaNames(), ...this.tiles ? [] : shown.labels], view, taken);
    paintDegrees(pen, words, colors);
    paintNames(pen, this.names, colors);
    marks.paintArcs(pen, data.arcs, view, colors); marks.paintCenters(pen, data, view, colors);
    marks.paintChips(pen, chips, colors);
    paintDrawing(pen, data.drawing.filter(layer => layer.over), view, colors);
  }

  // Where buttons, legend, credit and scale cover the map: a name there could not be read.
  controlBoxes() {
    const { left, top } = this.canvas.getBoundingClientRect();
    return [...this.root.querySelectorAll('.map-bar, .map-key, .map-credit, .leaflet-control-scale')].map(each => {
      const box = each.getBoundingClientRect();
      return [box.left - left, box.top - top, box.right - left, box.bottom - top];
    });
  }

  areaNames() {
    return this.shown.areas.filter(each => each.at).map(each => (
      { text: each.label, at: each.at, kind: 'area', rank: 99, angle: 0, people: Infinity }));
  }

  // The pointer.

  hover(event) {
    if (!this.shown || event.pointerType === 'touch') return;
    const { x, y } = this.map.mouseEventToContainerPoint(event), view = this.view();
    const lines = this.sketch.active ? [] : marks.under(x, y, this.shown, view);
    const place = this.pickable(x, y, view);
    if (place && !lines.includes(place.name)) lines.unshift(place.name);
    this.map.getContainer().style.cursor = this.sketch.active || this.shown.data.place ? 'crosshair' : place ? 'pointer' : '';
    this.say(lines, x, y);
    this.sketch.move([x, y]);
  }

  say(lines, x, y) {
    this.tip.hidden = !lines.length;
    if (!lines.length) return;
    this.tip.replaceChildren(...lines.map(text => Object.assign(document.createElement('div'), { textContent: text })));
    const [wide] = this.view().size;
    this.tip.style.left = `${Math.min(x + 14, wide - this.tip.offsetWidth - 6)}px`;
    this.tip.style.top = `${Math.max(4, y - this.tip.offsetHeight - 10)}px`;
  }

  pickable(x, y, view) {
    if (!this.shown.pick || this.sketch.active) return null;
    const places = this.shown.pick.map(({ path, ...rest }) => ({ ...rest, shape: path, origin: this.shown.ground.origin }));
    return marks.areaUnder(x, y, places, view);
  }

  click(event) {
    const { x, y } = event.containerPoint;
    if (this.sketch.active) { this.sketch.add(event.latlng, [x, y]); return; }
    const place = this.pickable(x, y, this.view());
    if (place) this.send('picked', place.name);
    else if (this.shown?.data.place) this.send('placed', [event.latlng.lng, event.latlng.lat]);
    else if (this.shown) this.say(marks.under(x, y, this.shown, this.view()), x, y);
  }
}
CityMap.all = new Set();

export const draw = async ({ parentElement, data, setTriggerValue }) => {
  const root = parentElement.querySelector('.city-map'), L = await library();
  if (!root.isConnected) return;
  root.style.height = `${data.height}px`;
  root.setAttribute('aria-label', data.words);
  if (!root.cityMap) { root.cityMap = new CityMap(root, L); CityMap.all.add(root.cityMap); }
  for (const each of CityMap.all) if (!each.root.isConnected) { each.map.remove(); CityMap.all.delete(each); }
  root.cityMap.send = (name, value) => setTriggerValue(name, value);
  await root.cityMap.show(data);
};
