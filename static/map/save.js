// The map as a picture for slides: what is on the screen, with a scale, its legend and where it is from.

import { SvgPen } from './svg.js';

const FACE = '"Source Sans", sans-serif', MARGIN = 14, LINE = 22;
// A picture for a slide is seen large.
const SHARP = 2;

// Words in lines no wider than a picture.
const wrapped = (pen, text, most) => {
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (pen.measureText(longer).width <= most || !lines.at(-1)) lines[lines.length - 1] = longer; else lines.push(word);
  }
  return lines;
};

// The legend as rows of signs with words, as many in a row as fit.
const legendRows = (pen, legend, most) => {
  const rows = [[]];
  let x = MARGIN;
  pen.font = `400 13px ${FACE}`;
  for (const entry of legend) {
    const wide = pen.measureText(entry.words).width + 30;
    if (x + wide > most && rows.at(-1).length) { rows.push([]); x = MARGIN; }
    rows.at(-1).push({ ...entry, x });
    x += wide + 14;
  }
  return rows.filter(row => row.length);
};

const sign = (pen, { mark, color, size = 14, x }, y) => {
  pen.fillStyle = pen.strokeStyle = color; pen.lineWidth = 3; pen.globalAlpha = mark === 'point' || mark === 'square' ? .62 : 1;
  if (mark === 'square' || mark === 'area') pen.fillRect(x + 2, y - 7, 14, 14);
  else {
    pen.beginPath(); pen.arc(x + 9, y, Math.min(18, size) / 2 - (mark === 'ring' ? 1.5 : 0), 0, 7);
    if (mark === 'ring') pen.stroke(); else pen.fill();
  }
  pen.globalAlpha = 1;
};

const scaleBar = (pen, view, colors) => {
  const meters = 40075016.7 * Math.cos((view.south + view.north) * Math.PI / 360) / 256 / view.scale;
  const digit = 10 ** Math.floor(Math.log10(110 * meters)), most = 110 * meters / digit;
  const long = digit * (most >= 5 ? 5 : most >= 2 ? 2 : 1), wide = long / meters, y = view.size[1] - MARGIN;
  pen.strokeStyle = pen.fillStyle = colors.text; pen.lineWidth = 1.5; pen.lineCap = pen.lineJoin = 'butt';
  pen.beginPath(); pen.moveTo(MARGIN, y - 7); pen.lineTo(MARGIN, y); pen.lineTo(MARGIN + wide, y); pen.lineTo(MARGIN + wide, y - 7); pen.stroke();
  pen.font = `600 12px ${FACE}`; pen.textAlign = 'left'; pen.textBaseline = 'alphabetic';
  pen.fillText(long < 1000 ? `${long} m` : `${long / 1000} km`, MARGIN + 5, y - 5);
};

// How much room the words below a map of this width take, and what they are.
const footer = (pen, data, wide, credit) => {
  const most = wide - 2 * MARGIN, legend = legendRows(pen, data.legend, wide - MARGIN);
  pen.font = `700 15px ${FACE}`;
  const title = wrapped(pen, data.file.title, most);
  pen.font = `400 12px ${FACE}`;
  const notes = [...wrapped(pen, data.file.note, most), ...wrapped(pen, credit, most)];
  return { title, legend, notes, high: (title.length + legend.length) * LINE + notes.length * 17 + 2 * MARGIN };
};

const paintFooter = (pen, { title, legend, notes, high }, top, wide, colors) => {
  pen.fillStyle = colors.paper; pen.fillRect(0, top, wide, high);
  pen.textAlign = 'left'; pen.textBaseline = 'middle';
  let y = top + MARGIN + LINE / 2;
  const lines = (texts, font, color, step) => texts.forEach(text => {
    pen.font = font; pen.fillStyle = color; pen.fillText(text, MARGIN, y); y += step;
  });
  lines(title, `700 15px ${FACE}`, colors.text, LINE);
  for (const row of legend) {
    for (const entry of row) {
      sign(pen, entry, y);
      pen.font = `400 13px ${FACE}`; pen.fillStyle = colors.text; pen.fillText(entry.words, entry.x + 24, y);
    }
    y += LINE;
  }
  lines(notes, `400 12px ${FACE}`, colors.quiet, 17);
};

const download = (content, name) => {
  const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(content), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
};

// Save what a map shows. Only a map that came with a file's name and note may be saved.
export const save = (owner, kind) => {
  const { data } = owner.shown, { file, colors } = data;
  if (!file) return;
  const credit = owner.root.querySelector('.map-credit').textContent, ratio = kind === 'svg' ? 1 : SHARP;
  const view = { ...owner.view(), ratio }, [wide, high] = view.size;
  const below = footer(document.createElement('canvas').getContext('2d'), data, wide, credit), whole = high + below.high;
  const canvas = Object.assign(document.createElement('canvas'), { width: wide * ratio, height: whole * ratio });
  const pen = kind === 'svg' ? new SvgPen(wide, whole) : canvas.getContext('2d');
  owner.paint(pen, view, [[0, high - 40, 130, high]]); // The scale is drawn there.
  scaleBar(pen, view, colors); paintFooter(pen, below, high, wide, colors);
  if (kind === 'svg') download(new Blob([pen.file(`${file.title}. ${file.note}`)], { type: 'image/svg+xml' }), `${file.name}.svg`);
  else canvas.toBlob(content => download(content, `${file.name}.png`));
};
