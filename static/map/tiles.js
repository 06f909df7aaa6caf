// Map pictures of a tile server that an administrator configured. Without one nothing is asked for.

const SIDE = 256, MOST = 400, LARGEST_ZOOM = 19;

export class Tiles {
  constructor(url, repaint) { this.url = url; this.repaint = repaint; this.known = new Map(); }

  image(x, y, zoom) {
    const count = 2 ** zoom, name = [zoom, (x % count + count) % count, y].join('/');
    if (!this.known.has(name)) {
      const [z, column, row] = name.split('/');
      // Without the server's leave to read them, a picture with tiles could not be saved.
      const image = Object.assign(new Image(), { crossOrigin: 'anonymous', onload: this.repaint });
      image.src = this.url.replace('{z}', z).replace('{x}', column).replace('{y}', row);
      this.known.set(name, image);
      if (this.known.size > MOST) this.known.delete(this.known.keys().next().value);
    }
    return this.known.get(name);
  }

  paint(pen, view) {
    const zoom = Math.max(0, Math.min(LARGEST_ZOOM, Math.round(view.zoom))), side = SIDE * 2 ** (view.zoom - zoom);
    const [wide, high] = view.size, rows = 2 ** zoom;
    for (let y = Math.max(0, Math.floor(view.top / side)); y < rows && y * side < view.top + high; y++) {
      for (let x = Math.floor(view.left / side); x * side < view.left + wide; x++) {
        const image = this.image(x, y, zoom);
        if (image.complete && image.naturalWidth) pen.drawImage(image, x * side - view.left, y * side - view.top, side + .5, side + .5);
      }
    }
  }
}
