// Draws icons/ from icons/source/*.svg. Needs rsvg-convert (Debian: librsvg2-bin), at design time only:
// its results are committed. app-small.svg serves up to 32 pixels, app.svg above.
//   tray-light*.png is the light form, for dark panels; tray-dark*.png the dark one; tray-template*.png is macOS's.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { root } from "./places.mjs";

const folder = join(root, "icons");
const source = (name) => readFileSync(join(folder, "source", name), "utf8");
const app = source("app.svg");
const small = source("app-small.svg");
const tray = source("tray.svg");
// On macOS a tile leaves room around itself.
const mac = app.replace('viewBox="0 0 1024 1024"', 'viewBox="-64 -64 1152 1152"');

const draw = (svg, size) => execFileSync("rsvg-convert", ["-w", String(size), "-h", String(size)], { input: svg });
const drawApp = (size) => draw(size <= 32 ? small : app, size);
const write = (name, bytes) => writeFileSync(join(folder, name), bytes);

const apps = { "32x32.png": 32, "64x64.png": 64, "128x128.png": 128, "128x128@2x.png": 256, "icon.png": 512, "icon-1024.png": 1024 };
const windowsTiles = [30, 44, 71, 89, 107, 142, 150, 284, 310];

for (const [name, size] of Object.entries(apps)) write(name, drawApp(size));
for (const size of windowsTiles) write(`Square${size}x${size}Logo.png`, drawApp(size));
write("StoreLogo.png", drawApp(50));
for (const [form, colour] of [["light", "#ffffff"], ["dark", "#1f1a18"], ["template", "#000000"]]) {
  const svg = tray.replaceAll("#000000", colour);
  write(`tray-${form}.png`, draw(svg, form === "template" ? 22 : 32));
  for (const size of form === "template" ? [] : [22, 44]) write(`tray-${form}-${size}.png`, draw(svg, size));
}
write("tray-template@2x.png", draw(tray, 44));
write("icon.ico", ico([16, 24, 32, 48, 64, 256]));
write("icon.icns", icns());

/** Windows: bitmaps below 256 pixels, which every reader knows, PNG for the large one. */
function ico(sizes) {
  const images = sizes.map((size) => (size < 256 ? bitmap(drawApp(size), size) : drawApp(size)));
  const header = Buffer.alloc(6 + 16 * sizes.length);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(sizes.length, 4);
  let offset = header.length;
  sizes.forEach((size, index) => {
    const entry = 6 + 16 * index;
    header.writeUInt8(size % 256, entry);
    header.writeUInt8(size % 256, entry + 1);
    header.writeUInt16LE(1, entry + 4);
    header.writeUInt16LE(32, entry + 6);
    header.writeUInt32LE(images[index].length, entry + 8);
    header.writeUInt32LE(offset, entry + 12);
    offset += images[index].length;
  });
  return Buffer.concat([header, ...images]);
}

/** A 32-bit bitmap as icon files hold it: twice the height, rows from the bottom, then an empty mask. */
function bitmap(png, size) {
  const pixels = rgba(png, size);
  const header = Buffer.alloc(40);
  header.writeUInt32LE(40, 0);
  header.writeInt32LE(size, 4);
  header.writeInt32LE(size * 2, 8);
  header.writeUInt16LE(1, 12);
  header.writeUInt16LE(32, 14);
  const rows = Buffer.alloc(size * size * 4);
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      const from = (y * size + x) * 4;
      const to = ((size - 1 - y) * size + x) * 4;
      rows.set([pixels[from + 2], pixels[from + 1], pixels[from], pixels[from + 3]], to);
    }
  }
  return Buffer.concat([header, rows, Buffer.alloc(Math.ceil(size / 32) * 4 * size)]);
}

/** The pixels of a PNG as rsvg-convert writes it: 8-bit RGBA, not interlaced. */
function rgba(png, size) {
  if (png.readUInt32BE(16) !== size || png[24] !== 8 || png[25] !== 6 || png[28] !== 0) throw new Error("unexpected PNG form");
  const parts = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const lines = inflateSync(Buffer.concat(parts));
  const width = size * 4;
  const out = Buffer.alloc(width * size);
  for (let y = 0; y < size; y += 1) {
    const filter = lines[y * (width + 1)];
    for (let x = 0; x < width; x += 1) {
      const left = x >= 4 ? out[y * width + x - 4] : 0;
      const up = y > 0 ? out[(y - 1) * width + x] : 0;
      const corner = x >= 4 && y > 0 ? out[(y - 1) * width + x - 4] : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
      out[y * width + x] = lines[y * (width + 1) + 1 + x] + guess;
    }
  }
  return out;
}

function paeth(left, up, corner) {
  const guess = left + up - corner;
  const [toLeft, toUp, toCorner] = [left, up, corner].map((value) => Math.abs(guess - value));
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

/** macOS: a list of PNGs by type. */
function icns() {
  const types = { icp4: 16, icp5: 32, ic07: 128, ic08: 256, ic09: 512, ic10: 1024, ic11: 32, ic12: 64, ic13: 256, ic14: 512 };
  const parts = Object.entries(types).map(([type, size]) => {
    const png = size <= 32 ? draw(small, size) : draw(mac, size);
    const head = Buffer.alloc(8);
    head.write(type, "latin1");
    head.writeUInt32BE(png.length + 8, 4);
    return Buffer.concat([head, png]);
  });
  const head = Buffer.alloc(8);
  head.write("icns", "latin1");
  head.writeUInt32BE(parts.reduce((sum, part) => sum + part.length, 8), 4);
  return Buffer.concat([head, ...parts]);
}
