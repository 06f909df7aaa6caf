// What a run publishes, drawn on the map: points, cells, densities, centers and areas.

import { mercator, path } from './ground.js';

// Radii of marks, and how near two of them are told apart no more, in pixels.
const DISC = 11, RING = 15, NEAR = 8;

// Points come packed: x, y and the square root of the weight as 16-bit numbers, deflated.
export const unpack = async ({ packed, box, count, most }) => {
  const bytes = Uint8Array.from(atob(packed), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  const raw = new Uint8Array(await new Response(stream).arrayBuffer());
  const value = (k, i) => raw[2 * k * count + i] | raw[(2 * k + 1) * count + i] << 8;
  const [west, south, east, north] = box, points = new Float64Array(3 * count);
  let across = 0;
  for (let i = 0; i < count; i++) {
    across += value(0, i);
    const [x, y] = mercator(west + (east - west) * across / 65535, south + (north - south) * value(1, i) / 65535);
    points.set([x, y, most * (value(2, i) / 65535) ** 2], 3 * i);
  }
  return points;
};

export const radius = (weight, points) => Math.max(.8, points.whole_radius * Math.sqrt(weight / points.whole));

export const paintAreas = (pen, areas, view) => {
  for (const { shape, origin, color, outline } of areas) {
    const [x, y] = view.pixel(origin), k = view.scale * view.ratio;
    pen.setTransform(k, 0, 0, k, x * view.ratio, y * view.ratio);
    pen.fillStyle = color; pen.fill(shape, 'evenodd');
    pen.strokeStyle = outline; pen.lineWidth = 1.6 / view.scale; pen.stroke(shape);
  }
  pen.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
};

export const withShapes = (areas, ground) => areas.flatMap(each => {
  if (each.rings) return [{ ...each, origin: ground.origin, shape: path(each.rings, ground.origin) }];
  const found = ground[each.layer]?.find(place => place.name === each.name);
  return found ? [{ ...each, origin: ground.origin, shape: found.path }] : [];
});

export const paintPictures = (pen, pictures, view) => {
  for (const { image, box } of pictures) {
    const [x, y] = view.at([box[0], box[3]]), [right, bottom] = view.at([box[2], box[1]]);
    if (image.complete && image.naturalWidth) pen.drawImage(image, x, y, right - x, bottom - y);
  }
};

export const paintCells = (pen, cells, view, colors) => {
  const [wide, high] = cells.size;
  for (const [lon, lat, alpha] of cells.rows) {
    const [x, y] = view.at([lon - wide / 2, lat + high / 2]), [right, bottom] = view.at([lon + wide / 2, lat - high / 2]);
    if (right < 0 || bottom < 0 || x > view.size[0] || y > view.size[1]) continue;
    pen.globalAlpha = alpha / 255; pen.fillStyle = colors.points;
    pen.fillRect(x, y, Math.max(.6, right - x - .4), Math.max(.6, bottom - y - .4));
  }
  pen.globalAlpha = 1;
};

export const paintPoints = (pen, points, view, colors) => {
  pen.fillStyle = colors.points; pen.globalAlpha = .62;
  const found = points.rows, [wide, high] = view.size;
  for (let i = 0; i < found.length; i += 3) {
    const x = found[i] * view.scale - view.left, y = found[i + 1] * view.scale - view.top;
    const r = radius(found[i + 2], points);
    if (x < -r || y < -r || x > wide + r || y > high + r) continue;
    if (r < 1.6) { pen.fillRect(x - r * .886, y - r * .886, r * 1.77, r * 1.77); continue; }
    pen.beginPath(); pen.arc(x, y, r, 0, 7); pen.fill();
  }
  pen.globalAlpha = 1;
};

const circle = (pen, x, y, r) => { pen.beginPath(); pen.arc(x, y, r, 0, 7); };

export const paintArcs = (pen, arcs, view, colors) => {
  for (const { from, to, color } of arcs) {
    const a = view.at(from), b = view.at(to), bend = [(a[0] + b[0]) / 2 + (b[1] - a[1]) / 5, (a[1] + b[1]) / 2 - (b[0] - a[0]) / 5];
    for (const [width, shade] of [[6, colors.rim], [3, colors[color]]]) {
      pen.lineWidth = width; pen.strokeStyle = shade; pen.globalAlpha = width === 6 ? .6 : .9;
      pen.beginPath(); pen.moveTo(...a); pen.quadraticCurveTo(...bend, ...b); pen.stroke();
    }
    pen.globalAlpha = 1;
  }
};

export const paintCenters = (pen, data, view, colors) => {
  for (const { at } of data.partners) {
    const [x, y] = view.at(at);
    for (const [width, color] of [[6, colors.rim], [3, colors.non_private]]) {
      pen.lineWidth = width; pen.strokeStyle = color; circle(pen, x, y, RING); pen.stroke();
    }
  }
  for (const { at, color, number } of data.centers) {
    const [x, y] = view.at(at);
    circle(pen, x, y, DISC); pen.fillStyle = colors[color]; pen.fill();
    pen.lineWidth = 2; pen.strokeStyle = colors.rim; pen.stroke();
    if (!number) continue;
    pen.fillStyle = colors.number; pen.font = '700 13px "Source Sans", sans-serif';
    pen.textAlign = 'center'; pen.textBaseline = 'middle'; pen.fillText(number, x, y + .5);
  }
  for (const shift of data.shifts) paintShift(pen, shift, view, colors);
};

// An arrow from the red ring to the blue disc, where they lie apart on the screen.
const paintShift = (pen, { from, to }, view, colors) => {
  const a = view.at(from), b = view.at(to), long = Math.hypot(b[0] - a[0], b[1] - a[1]);
  if (long < NEAR) return;
  const [ux, uy] = [(b[0] - a[0]) / long, (b[1] - a[1]) / long], reach = Math.max(DISC + 2, 2);
  const tip = [b[0] - ux * reach, b[1] - uy * reach], tail = long > RING + reach + 6 ? RING : -RING;
  const start = [a[0] + ux * tail, a[1] + uy * tail];
  for (const [width, color] of [[6, colors.rim], [2.5, colors.non_private]]) {
    pen.strokeStyle = color; pen.lineWidth = width; pen.lineCap = pen.lineJoin = 'round';
    pen.beginPath(); pen.moveTo(...start); pen.lineTo(...tip);
    pen.moveTo(tip[0] - 8 * ux + 5 * uy, tip[1] - 8 * uy - 5 * ux); pen.lineTo(...tip);
    pen.lineTo(tip[0] - 8 * ux - 5 * uy, tip[1] - 8 * uy + 5 * ux); pen.stroke();
  }
};

// The meters beside an arrow, and the boxes that names keep away from.
export const chips = (pen, data, view) => {
  pen.font = '700 13px "Source Sans", sans-serif';
  return data.shifts.flatMap(({ from, to, label }) => {
    const a = view.at(from), b = view.at(to);
    if (!label || Math.hypot(b[0] - a[0], b[1] - a[1]) < NEAR) return [];
    const wide = pen.measureText(label).width + 10, x = Math.max(a[0], b[0]) + RING + 5 + wide / 2, y = (a[1] + b[1]) / 2;
    return [{ label, x, y, box: [x - wide / 2, y - 10, x + wide / 2, y + 10] }];
  });
};

export const paintChips = (pen, some, colors) => {
  pen.font = '700 13px "Source Sans", sans-serif'; pen.textAlign = 'center'; pen.textBaseline = 'middle';
  for (const { label, x, y, box } of some) {
    pen.globalAlpha = .9; pen.fillStyle = colors.paper;
    pen.beginPath(); pen.roundRect(box[0], box[1], box[2] - box[0], box[3] - box[1], 4); pen.fill();
    pen.globalAlpha = 1; pen.fillStyle = colors.non_private; pen.fillText(label, x, y + .5);
  }
};

export const keepClear = (data, view) => [...data.centers, ...data.partners].map(({ at }) => {
  const [x, y] = view.at(at);
  return [x - RING - 3, y - RING - 3, x + RING + 3, y + RING + 3];
});

// The mark under the pointer: lines of what is said about it.
export const under = (x, y, shown, view) => {
  const { data, points } = shown;
  const near = (rows, reach) => rows.find(({ at }) => Math.hypot(view.at(at)[0] - x, view.at(at)[1] - y) <= reach);
  const mark = near(data.centers, DISC + 2) ?? near(data.partners, RING + 3);
  if (mark) return mark.tip;
  const area = areaUnder(x, y, shown.areas, view);
  let best = null, closest = 36;
  if (points) {
    for (let i = 0; i < points.rows.length; i += 3) {
      const dx = points.rows[i] * view.scale - view.left - x, dy = points.rows[i + 1] * view.scale - view.top - y;
      const away = dx * dx + dy * dy;
      if (away < closest) { closest = away; best = points.rows[i + 2]; }
    }
  }
  const lines = area ? [...area.tip] : [];
  if (best !== null) lines.push('A published point stands for', `about ${Math.max(1, Math.round(best)).toLocaleString('en-US')} ${points.unit}`);
  if (!lines.length && data.cells) {
    const [lon, lat] = view.place(x, y), [wide, high] = data.cells.size;
    const cell = data.cells.rows.find(row => Math.abs(row[0] - lon) < wide / 2 && Math.abs(row[1] - lat) < high / 2);
    if (cell) return ['A published noisy count:', `about ${cell[3].toLocaleString('en-US')} ${data.cells.unit}`];
  }
  return lines;
};

let probe;
export const areaUnder = (x, y, areas, view) => areas.findLast(each => {
  probe ??= document.createElement('canvas').getContext('2d');
  const [left, top] = view.pixel(each.origin);
  return probe.isPointInPath(each.shape, (x - left) / view.scale, (y - top) / view.scale, 'evenodd');
});
