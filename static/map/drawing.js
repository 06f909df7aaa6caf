// What a lesson draws on the map: dots, boxes, lines and words, given in degrees.

const PAINTERS = {
  dots: (pen, { at, color, alpha = 1, radius }, view) => {
    pen.fillStyle = color; pen.globalAlpha = alpha;
    for (const place of at) {
      const [x, y] = view.at(place);
      if (x < -9 || y < -9 || x > view.size[0] + 9 || y > view.size[1] + 9) continue;
      pen.beginPath(); pen.arc(x, y, radius, 0, 7); pen.fill();
    }
  },
  // West, south, east, north and how strongly each is filled.
  boxes: (pen, { boxes, color, line = 0 }, view) => {
    for (const [west, south, east, north, alpha] of boxes) {
      const [x, y] = view.at([west, north]), [right, bottom] = view.at([east, south]);
      pen.globalAlpha = alpha; pen.fillStyle = color; pen.fillRect(x, y, right - x, bottom - y);
      if (!line) continue;
      pen.globalAlpha = .9; pen.strokeStyle = color; pen.lineWidth = line; pen.strokeRect(x, y, right - x, bottom - y);
    }
  },
  lines: (pen, { lines, color, width, arrow }, view, colors) => {
    pen.lineCap = pen.lineJoin = 'round';
    for (const [halo, shade] of arrow ? [[width + 3, colors.rim], [width, color]] : [[width, color]]) {
      pen.lineWidth = halo; pen.strokeStyle = shade;
      for (const [x0, y0, x1, y1] of lines) {
        const a = view.at([x0, y0]), tip = view.at([x1, y1]), far = Math.hypot(tip[0] - a[0], tip[1] - a[1]);
        // An arrow ends at the edge of the disc that it points at.
        const part = arrow && far > 26 ? 1 - 13 / far : 1, long = far * part;
        const b = [a[0] + (tip[0] - a[0]) * part, a[1] + (tip[1] - a[1]) * part];
        pen.beginPath(); pen.moveTo(...a); pen.lineTo(...b);
        if (arrow && long > 6) {
          const [ux, uy] = [(b[0] - a[0]) / long, (b[1] - a[1]) / long], head = Math.min(10, long / 2);
          pen.moveTo(b[0] - head * ux + head * .6 * uy, b[1] - head * uy - head * .6 * ux); pen.lineTo(...b);
          pen.lineTo(b[0] - head * ux - head * .6 * uy, b[1] - head * uy + head * .6 * ux);
        }
        pen.stroke();
      }
    }
  },
  words: (pen, { words, color, size, plain }, view, colors) => {
    pen.font = `700 ${size}px "Source Sans", sans-serif`; pen.textAlign = 'center'; pen.textBaseline = 'middle';
    pen.lineJoin = 'round'; pen.lineWidth = Math.max(3, size / 8); pen.strokeStyle = colors.halo; pen.fillStyle = color;
    for (const { at, text } of words) { const [x, y] = view.at(at); if (!plain) pen.strokeText(text, x, y); pen.fillText(text, x, y); }
  },
};

// What names keep away from: the dots that lie above them.
export const coveredBy = (layers, view) => layers.filter(layer => layer.over && layer.kind === 'dots').flatMap(
  ({ at, radius }) => at.map(place => { const [x, y] = view.at(place); return [x - radius, y - radius, x + radius, y + radius]; }));

export const paintDrawing = (pen, layers, view, colors) => {
  for (const layer of layers) { pen.globalAlpha = 1; PAINTERS[layer.kind](pen, layer, view, colors); }
  pen.globalAlpha = 1;
};
