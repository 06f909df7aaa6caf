// A pen that writes SVG: the part of a canvas' drawing that the map uses.

const escaped = text => String(text).replace(/[&<>"]/g, c => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);
const short = x => String(Math.round(x * 10) / 10);
const ANCHORS = { left: 'start', start: 'start', center: 'middle', right: 'end', end: 'end' };
const LINES = { middle: 'central', top: 'hanging', alphabetic: 'alphabetic', bottom: 'text-after-edge' };
const STYLE = {
  fillStyle: '#000', strokeStyle: '#000', lineWidth: 1, globalAlpha: 1, font: '10px sans-serif', textAlign: 'start',
  textBaseline: 'alphabetic', lineCap: 'butt', lineJoin: 'miter', letterSpacing: '0px', matrix: [1, 0, 0, 1, 0, 0], clipped: '',
};

// The part of a ring that lies in a box: one side of the box after the other.
const within = (ring, [left, top, right, bottom]) => {
  const sides = [[0, left, 1], [0, right, -1], [1, top, 1], [1, bottom, -1]];
  return sides.reduce((points, [axis, limit, sign]) => points.flatMap((point, i) => {
    const before = points[(i + points.length - 1) % points.length];
    const inside = sign * (point[axis] - limit) >= 0, wasInside = sign * (before[axis] - limit) >= 0;
    const share = (limit - before[axis]) / (point[axis] - before[axis]);
    const cut = before.map((x, k) => x + (point[k] - x) * share);
    return inside ? (wasInside ? [point] : [cut, point]) : (wasInside ? [cut] : []);
  }), ring);
};

const joined = (points, closed) => {
  const texts = points.map(point => point.map(short).join(' ')).filter((text, i, all) => text !== all[i - 1]);
  return texts.length > 1 ? `M${texts.join('L')}${closed ? 'Z' : ''}` : '';
};

export class SvgPen {
  constructor(wide, high) {
    this.size = [wide, high]; this.parts = []; this.defs = []; this.kept = []; this.d = ''; this.group = '';
    this.ruler = document.createElement('canvas').getContext('2d');
    Object.assign(this, STYLE);
  }

  // The state.

  save() { this.kept.push(Object.fromEntries(Object.keys(STYLE).map(name => [name, this[name]]))); }
  restore() { Object.assign(this, this.kept.pop()); }
  setTransform(...matrix) { this.matrix = matrix; }
  translate(x, y) { const [a, b, c, d, e, f] = this.matrix; this.matrix = [a, b, c, d, a * x + c * y + e, b * x + d * y + f]; }
  rotate(turn) {
    const [a, b, c, d, e, f] = this.matrix, [cos, sin] = [Math.cos(turn), Math.sin(turn)];
    this.matrix = [a * cos + c * sin, b * cos + d * sin, c * cos - a * sin, d * cos - b * sin, e, f];
  }
  setLineDash() {}
  at(x, y) { const [a, b, c, d, e, f] = this.matrix; return [a * x + c * y + e, b * x + d * y + f]; }
  get scale() { const [a, b] = this.matrix; return Math.hypot(a, b); }

  // Paths.

  beginPath() { this.d = ''; }
  closePath() { this.d += 'Z'; }
  moveTo(x, y) { this.d += `M${this.at(x, y).map(short).join(' ')}`; }
  lineTo(x, y) { this.d += `L${this.at(x, y).map(short).join(' ')}`; }
  quadraticCurveTo(...points) { this.d += `Q${[this.at(points[0], points[1]), this.at(points[2], points[3])].flat().map(short).join(' ')}`; }
  arc(x, y, r) {
    const [cx, cy] = this.at(x, y), size = r * this.scale;
    const [left, right] = [cx - size, cx + size].map(short), half = `A${short(size)} ${short(size)} 0 1 1`;
    this.d += `M${left} ${short(cy)}${half} ${right} ${short(cy)}${half} ${left} ${short(cy)}Z`;
  }
  roundRect(x, y, wide, high) { this.rect(x, y, wide, high); }
  rect(x, y, wide, high) { this.moveTo(x, y); this.lineTo(x + wide, y); this.lineTo(x + wide, y + high); this.lineTo(x, y + high); this.closePath(); }

  // A shape of the base map, as far as it is seen.
  traced({ source: { lines, closed } }) {
    const [wide, high] = this.size, box = [-20, -20, wide + 20, high + 20];
    return lines().map(line => {
      const points = line.map(([x, y]) => this.at(x, y));
      return joined(closed ? within(points, box) : points, closed);
    }).join('');
  }

  // What is drawn.

  write(style, element) {
    const group = `<g ${style}${this.clipped && ` clip-path="url(#${this.clipped})"`}>`;
    if (group !== this.group) { this.parts.push(this.group && '</g>', group); this.group = group; }
    this.parts.push(element);
  }
  path(d, style) { if (d) this.write(style, `<path d="${d}"/>`); }
  get filled() { return `fill="${this.fillStyle}" fill-opacity="${this.globalAlpha}" fill-rule="evenodd"`; }
  get lined() {
    return `fill="none" stroke="${this.strokeStyle}" stroke-opacity="${this.globalAlpha}" `
      + `stroke-width="${Math.round(this.lineWidth * this.scale * 100) / 100}" stroke-linecap="${this.lineCap}" stroke-linejoin="${this.lineJoin}"`;
  }
  fill(shape) { this.path(shape?.source ? this.traced(shape) : this.d, this.filled); }
  stroke(shape) { this.path(shape?.source ? this.traced(shape) : this.d, this.lined); }
  fillRect(x, y, wide, high) { this.beginPath(); this.rect(x, y, wide, high); this.fill(); }
  clip(shape) {
    this.clipped = `clip-${this.defs.length}`;
    this.defs.push(`<clipPath id="${this.clipped}"><path d="${this.traced(shape)}"/></clipPath>`);
  }
  drawImage(image, x, y, wide, high) {
    const [left, top] = this.at(x, y);
    this.write('', `<image href="${escaped(image.src)}" x="${short(left)}" y="${short(top)}" width="${short(wide * this.scale)}" height="${short(high * this.scale)}" preserveAspectRatio="none"/>`);
  }
  measureText(text) { this.ruler.font = this.font; this.ruler.letterSpacing = this.letterSpacing; return this.ruler.measureText(text); }
  text(style, text, x, y) {
    const [, weight, size, family] = this.font.match(/^(?:(\d+) )?([\d.]+px) (.*)$/) ?? [];
    const face = `font-family="${escaped(family)}" font-weight="${weight ?? 400}" font-size="${size}" letter-spacing="${this.letterSpacing}" `
      + `text-anchor="${ANCHORS[this.textAlign]}" dominant-baseline="${LINES[this.textBaseline]}"`;
    const moved = this.matrix.map(value => Math.round(value * 1000) / 1000).join(' ');
    this.write(`${style} ${face}`, `<text transform="matrix(${moved})" x="${short(x)}" y="${short(y)}">${escaped(text)}</text>`);
  }
  fillText(text, x, y) { this.text(this.filled, text, x, y); }
  strokeText(text, x, y) { this.text(this.lined, text, x, y); }

  file(title) {
    const [wide, high] = this.size, end = this.group && '</g>';
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${high}" viewBox="0 0 ${wide} ${high}">`
      + `<title>${escaped(title)}</title><defs>${this.defs.join('')}</defs>${this.parts.join('')}${end}</svg>`;
  }
}
