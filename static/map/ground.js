// The base map: land, parks, streets and names, from files of this server, painted on a canvas.

// Positions are in pixels of zoom 0 around a place of reference, so that small numbers stay exact.
const WORLD = 256, STEPS = 1e5;
export const mercator = (lon, lat) => {
  const sine = Math.sin(Math.max(-85.05, Math.min(85.05, lat)) * Math.PI / 180);
  return [WORLD * (lon / 360 + .5), WORLD * (.5 - Math.log((1 + sine) / (1 - sine)) / 4 / Math.PI)];
};

const here = new URL('.', import.meta.url), files = new Map();
// Milliseconds before each further try: a connection that is lost for a moment must not cost the map.
const PAUSES = [300, 1000, 3000];
const fetched = async (name, pauses = PAUSES) => {
  try {
    const answer = await fetch(new URL(name, here));
    if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
    return await answer.json();
  } catch (problem) {
    const [pause, ...rest] = pauses;
    if (!pause) { files.delete(name); throw problem; }
    await new Promise(resolve => setTimeout(resolve, pause));
    return fetched(name, rest);
  }
};
const file = name => {
  if (!files.has(name)) files.set(name, fetched(name));
  return files.get(name);
};

export const corners = numbers => {
  const found = [];
  let x = 0, y = 0;
  for (let i = 0; i < numbers.length; i += 2) {
    x += numbers[i]; y += numbers[i + 1];
    found.push([x / STEPS, y / STEPS]);
  }
  return found;
};

// A path of rings or lines, given as pairs of degrees, relative to an origin.
export const path = (lines, origin, closed = true) => {
  const drawn = new Path2D();
  for (const line of lines) {
    line.forEach(([lon, lat], i) => {
      const [x, y] = mercator(lon, lat);
      if (i) drawn.lineTo(x - origin[0], y - origin[1]); else drawn.moveTo(x - origin[0], y - origin[1]);
    });
    if (closed) drawn.closePath();
  }
  // A file needs the corners that a path does not give back.
  const placed = ([lon, lat]) => { const [x, y] = mercator(lon, lat); return [x - origin[0], y - origin[1]]; };
  drawn.source = { lines: () => lines.map(line => line.map(placed)), closed };
  return drawn;
};
const area = (rings, origin) => path(rings.map(corners), origin);

const NEW_YORK = mercator(-73.97, 40.75);

// Streets in squares, so that only those on the screen are drawn.
const inSquares = lines => {
  const squares = new Map();
  for (const numbers of lines) {
    const line = corners(numbers), name = line[0].map(x => Math.floor(x / .04)).join();
    if (!squares.has(name)) squares.set(name, []);
    squares.get(name).push(line);
  }
  return [...squares.values()].map(some => {
    const all = some.flat(), [xs, ys] = [0, 1].map(i => all.map(corner => corner[i]));
    const [low, high] = [Math.min, Math.max].map(f => [xs.reduce((a, b) => f(a, b)), ys.reduce((a, b) => f(a, b))]);
    return { low, high, path: path(some, NEW_YORK, false) };
  });
};

let newYork, world;
const loadNewYork = () => newYork ??= Promise.all(
  ['land.json', 'around.json', 'neighborhoods.json', 'labels.json', 'places.json'].map(file),
).then(([land, around, neighborhoods, labels, places]) => {
  const ground = {
    origin: NEW_YORK,
    around: area(around, NEW_YORK),
    boroughs: Object.entries(land).map(([name, rings]) => ({ name, path: area(rings, NEW_YORK) })),
    neighborhoods: neighborhoods.map(([name, borough, kind, rings]) => (
      { name, borough, kind, path: area(rings, NEW_YORK) })),
    labels: labels.map(([text, lon, lat, kind, rank, angle = 0]) => ({ text, at: [lon, lat], kind, rank, angle })),
    towns: asTowns(places), squares: [], isWhole: false,
  };
  file('streets.json').then(lines => { ground.squares = inSquares(lines); ground.isWhole = true; ground.repaint?.(); });
  return ground;
});

const asTowns = places => places.map(([text, lon, lat, people]) => (
  { text, at: [lon, lat], kind: 'town', rank: Math.min(89, 8 * Math.log2(people + 1)), people, angle: 0 }));

const loadWorld = async window => {
  world ??= Promise.all(['world.json', 'places.json', 'cities.json'].map(file));
  const [lands, places, cities] = await world;
  const [west, south, east, north] = window, x = (west + east) / 2, y = (south + north) / 2;
  const origin = mercator(x, y);
  const city = cities.findIndex(([w, s, e, n]) => w <= west && s <= south && e >= east && n >= north);
  const near = city < 0 ? null : area(await file(`city-${city}.json`), origin);
  return {
    origin, around: area(lands, origin), boroughs: [], neighborhoods: [], labels: [], squares: [],
    towns: asTowns(places), isWhole: true, near, edges: city < 0 ? null : cities[city],
  };
};

export const load = (isNewYork, window) => isNewYork ? loadNewYork() : loadWorld(window);

export const paint = (pen, ground, view, colors) => {
  const { scale } = view;
  const [x, y] = view.pixel(ground.origin);
  const fill = (shape, color) => { pen.fillStyle = color; pen.fill(shape, 'evenodd'); };
  const place = () => pen.setTransform(scale * view.ratio, 0, 0, scale * view.ratio, x * view.ratio, y * view.ratio);
  place();
  fill(ground.around, ground.boroughs.length ? colors.around : colors.land);
  if (ground.near) {
    const edge = path([[[0, 1], [2, 1], [2, 3], [0, 3]].map(([i, j]) => [ground.edges[i], ground.edges[j]])], ground.origin);
    pen.save(); pen.clip(edge); fill(edge, colors.water); fill(ground.near, colors.land); pen.restore();
  }
  for (const borough of ground.boroughs) fill(borough.path, colors.land);
  for (const each of ground.neighborhoods) {
    if (each.kind === 'park') fill(each.path, colors.park);
    else if (each.kind === 'cemetery' || each.kind === 'airport') fill(each.path, colors.site);
  }
  if (!ground.boroughs.length) graticule(pen, view, colors);
};

export const paintStreets = (pen, ground, view, colors) => {
  if (view.zoom < 11.6 || !ground.squares.length) return;
  const [x, y] = view.pixel(ground.origin), k = view.scale * view.ratio;
  pen.setTransform(k, 0, 0, k, x * view.ratio, y * view.ratio);
  pen.strokeStyle = colors.street;
  pen.lineWidth = Math.max(.35, Math.min(2, .35 * 2 ** (view.zoom - 12.5))) / view.scale;
  for (const { low, high, path: lines } of ground.squares) {
    if (low[0] < view.east && high[0] > view.west && low[1] < view.north && high[1] > view.south) pen.stroke(lines);
  }
};

const degreeStep = view => [30, 10, 5, 2, 1, .5, .2, .1, .05, .02, .01].find(each => (view.east - view.west) / each > 3) ?? .005;
const multiples = (step, low, high) => {
  const found = [];
  for (let each = Math.ceil(low / step) * step; each < high; each += step) found.push(each);
  return found;
};

const graticule = (pen, view, colors) => {
  const step = degreeStep(view);
  pen.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
  pen.strokeStyle = colors.street; pen.lineWidth = .6;
  const line = (...ends) => { pen.beginPath(); pen.moveTo(...ends[0]); pen.lineTo(...ends[1]); pen.stroke(); };
  for (const lon of multiples(step, view.west, view.east)) { const [x] = view.at([lon, 0]); line([x, 0], [x, view.size[1]]); }
  for (const lat of multiples(step, view.south, view.north)) { const [, y] = view.at([0, lat]); line([0, y], [view.size[0], y]); }
};

// The degrees at the lines of a map without streets: rows of {text, x, y, box}.
export const degrees = (ground, view) => {
  if (ground.boroughs.length) return [];
  const step = degreeStep(view), places = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const words = (number, signs, x, y) => ({
    text: `${Math.abs(number).toFixed(places)}° ${signs[number < 0 ? 1 : 0]}`, x, y, box: [x, y, x + 46, y + 12],
  });
  return [
    ...multiples(step, view.west, view.east).map(lon => words(lon, 'EW', view.at([lon, 0])[0] + 3, 3)),
    ...multiples(step, view.south, view.north).map(lat => words(lat, 'NS', 52, view.at([0, lat])[1] + 2)).filter(({ y }) => y > 22),
  ];
};

export const paintDegrees = (pen, words, colors) => {
  pen.font = '11px "Source Sans", sans-serif'; pen.textAlign = 'left'; pen.textBaseline = 'top'; pen.fillStyle = colors.quiet;
  for (const { text, x, y } of words) pen.fillText(text, x, y);
};
