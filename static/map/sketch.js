// Drawing an area on the map by its corners: two for a rectangle, three or more for a polygon.

export class Sketch {
  constructor(owner) {
    this.owner = owner; this.active = null; this.corners = []; this.pointer = null;
    owner.root.addEventListener('keydown', event => {
      if (!this.active) return;
      if (event.key === 'Escape') this.stop();
      if (event.key === 'Enter' && !event.target.closest('button')) this.enter();
    });
    owner.map.on('dblclick', () => { if (this.active === 'polygon') this.finish(); });
  }

  start(kind) {
    this.active = this.active === kind ? null : kind;
    this.corners = [];
    this.say();
    this.owner.map.getContainer().focus({ preventScroll: true });
    this.owner.repaint();
  }

  say() {
    const words = {
      rectangle: ['Click one corner of the rectangle.', 'Click the opposite corner.'],
      polygon: ['Click the corners of the area.', 'Click the next corner. Click the first one again to finish.'],
    };
    const note = this.owner.root.querySelector('.map-note');
    note.hidden = !this.active;
    note.textContent = this.active ? `${words[this.active][Math.min(1, this.corners.length)]} Esc cancels.` : '';
    for (const button of this.owner.root.querySelectorAll('[data-does=rectangle], [data-does=polygon]')) {
      button.setAttribute('aria-pressed', button.dataset.does === this.active);
    }
  }

  // By keyboard: the arrows move the map, Enter takes its middle as a corner.
  enter() {
    const { map } = this.owner, center = map.getCenter(), { x, y } = map.latLngToContainerPoint(center);
    const last = this.corners.at(-1);
    if (last && last[0] === center.lng && last[1] === center.lat) this.finish(); else this.add(center, [x, y]);
  }

  add({ lng, lat }, pixel) {
    const view = this.owner.view(), first = this.corners[0];
    const isFirst = first && Math.hypot(view.at(first)[0] - pixel[0], view.at(first)[1] - pixel[1]) < 12;
    if (this.active === 'polygon' && isFirst && this.corners.length > 2) { this.finish(); return; }
    this.corners.push([lng, lat]);
    if (this.active === 'rectangle' && this.corners.length === 2) this.finish();
    this.say(); this.owner.repaint();
  }

  finish() {
    const enough = this.active === 'rectangle' ? 2 : 3;
    if (this.corners.length < enough) return;
    let found = this.corners;
    if (this.active === 'rectangle') {
      const [[a, b], [c, d]] = found;
      found = [[a, b], [c, b], [c, d], [a, d]];
    }
    this.owner.send('drawn', found.map(corner => corner.map(x => Math.round(x * 1e5) / 1e5)));
    this.stop();
  }

  stop() { this.active = null; this.corners = []; this.say(); this.owner.repaint(); }

  move(pixel) { this.pointer = pixel; if (this.active && this.corners.length) this.owner.repaint(); }

  paint(pen, view, colors) {
    if (!this.active) return;
    const found = this.corners.map(corner => view.at(corner));
    if (this.active === 'rectangle' && found.length && this.pointer) {
      const [[a, b]] = found, [c, d] = this.pointer;
      found.splice(0, 1, [a, b], [c, b], [c, d], [a, d]);
    } else if (this.pointer && found.length) found.push(this.pointer);
    pen.strokeStyle = colors.text; pen.lineWidth = 2; pen.setLineDash([6, 4]);
    pen.beginPath(); found.forEach((corner, i) => (i ? pen.lineTo(...corner) : pen.moveTo(...corner)));
    if (this.active === 'rectangle') pen.closePath();
    pen.stroke(); pen.setLineDash([]);
    pen.fillStyle = colors.text;
    for (const corner of this.corners) { pen.beginPath(); pen.arc(...view.at(corner), 4, 0, 7); pen.fill(); }
    const [x, y] = view.size.map(side => side / 2);
    pen.lineWidth = 1; pen.beginPath(); pen.moveTo(x - 7, y); pen.lineTo(x + 7, y); pen.moveTo(x, y - 7); pen.lineTo(x, y + 7); pen.stroke();
  }
}
