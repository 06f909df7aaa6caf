// Names on the map: each is drawn where it meets no other name and no mark.

// Color, size in pixels, and the zooms between which each kind is drawn.
const KINDS = {
  region: ['borough', 13, 8, 13.5], borough: ['borough', 13, 9, 13.7], water: ['sea', 13, 10.5, 19],
  park: ['grove', 12, 11.5, 19], airport: ['place', 12, 11.5, 19], cemetery: ['place', 11, 13.5, 19],
  area: ['text', 13, 2, 19], home: ['name', 13, 12, 19], town: ['name', 13, 3, 19],
};
const ASIDES = { area: [0, 18, -18, 36, -36, 54, -54], borough: [0, 22, -22, 44, -44, 66, -66, 88], region: [0, 22, -22, 44, -44], park: [0, 16, -16, 30, -30] };
const isSpaced = kind => kind === 'region' || kind === 'borough';
const leastPeople = zoom => Math.max(15, 8000 / 4 ** Math.max(0, zoom - 4));

// Squares along a line of text, which may be turned: what no other name may touch.
const squares = (x, y, wide, high, angle) => {
  const turn = angle * Math.PI / 180, count = Math.max(1, Math.ceil(wide / high));
  const half = angle ? high * .62 : high / 2, step = wide / count;
  return Array.from({ length: count }, (_, i) => {
    const along = (i + .5 - count / 2) * step;
    const reach = angle ? half : step / 2;
    const cx = x + along * Math.cos(turn), cy = y - along * Math.sin(turn);
    return [cx - reach, cy - half, cx + reach, cy + half];
  });
};
export const meet = (a, b) => a[0] < b[2] && a[2] > b[0] && a[1] < b[3] && a[3] > b[1];

// What is drawn, best first: rows of {label, x, y, boxes}.
export const placed = (pen, labels, view, taken) => {
  const kept = [], boxes = taken.slice(), people = leastPeople(view.zoom);
  const margin = 60;
  for (const label of labels) {
    const [, size, first, last] = KINDS[label.kind];
    if (view.zoom < first || view.zoom > last || label.people < people) continue;
    const [x, y] = view.at(label.at);
    if (x < -margin || y < -margin || x > view.size[0] + margin || y > view.size[1] + margin) continue;
    style(pen, label.kind);
    const text = isSpaced(label.kind) ? label.text.toUpperCase() : label.text;
    const wide = pen.measureText(text).width + 10;
    // A name that meets another moves aside, as long as it stays with its place.
    const asides = label.angle ? [0] : ASIDES[label.kind] ?? [0, 15, -15];
    for (const aside of asides) {
      const own = squares(x, y + aside, wide, size + 8, label.angle);
      if (own.some(box => boxes.some(other => meet(box, other)))) continue;
      boxes.push(...own);
      kept.push({ label, text, x, y: y + aside, boxes: own });
      break;
    }
  }
  return kept;
};

const style = (pen, kind) => {
  pen.font = `600 ${KINDS[kind][1]}px "Source Sans", sans-serif`;
  if ('letterSpacing' in pen) pen.letterSpacing = isSpaced(kind) ? '2.5px' : '0px';
};

export const paintNames = (pen, names, colors) => {
  pen.textAlign = 'center'; pen.textBaseline = 'middle'; pen.lineJoin = 'round';
  for (const { label, text, x, y } of names) {
    style(pen, label.kind);
    pen.save(); pen.translate(x, y); pen.rotate(-label.angle * Math.PI / 180);
    pen.lineWidth = 3.5; pen.strokeStyle = label.kind === 'water' ? colors.water : colors.halo;
    pen.strokeText(text, 0, 0);
    pen.fillStyle = colors[KINDS[label.kind][0]];
    pen.fillText(text, 0, 0);
    pen.restore();
  }
  if ('letterSpacing' in pen) pen.letterSpacing = '0px';
};
