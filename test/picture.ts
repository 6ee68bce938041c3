import { writeFile } from "node:fs/promises";
import { Resvg } from "@resvg/resvg-js";
import type { ScreenCell, ScreenView } from "./screen-view.ts";

const FONT_SIZE = 14;
/** Advance of DejaVu Sans Mono. */
const CELL_WIDTH = FONT_SIZE * 0.602;
const CELL_HEIGHT = 18;
const BASELINE = 13.5;
const MARGIN = 10;
const FOREGROUND = "#d8dee9";
const BACKGROUND = "#1b1f27";
const SIXTEEN = [
  ..."#1b1f27 #e06c75 #98c379 #e5c07b #61afef #c678dd #56b6c2 #c8ccd4".split(" "),
  ..."#5c6370 #ff7b86 #b5e890 #ffd98a #7cc4ff #e08cff #6fdfe8 #ffffff".split(" "),
];

interface Run {
  readonly column: number;
  readonly columns: number;
  readonly text: string;
  readonly style: string;
}

/** The screen as an SVG picture: sharp text, 20–30 KB. */
export function svgOf(screen: ScreenView): string {
  const width = screen.columns * CELL_WIDTH + 2 * MARGIN;
  const height = screen.rows.length * CELL_HEIGHT + 2 * MARGIN;
  const rows = screen.rows.flatMap((_, row) => runsOf(screen, row).map((run) => svgRun(run, row)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${round(width)}" height="${round(height)}"`,
    ` font-family="'DejaVu Sans Mono', 'Noto Sans CJK JP', monospace" font-size="${FONT_SIZE}">`,
    `<rect width="100%" height="100%" rx="6" fill="${BACKGROUND}"/>`,
    ...rows,
    svgCursor(screen),
    "</svg>\n",
  ].join("");
}

/** The picture as PNG; needs fonts-dejavu, and for CJK fonts-noto-cjk. */
export function pngOf(svg: string): Buffer {
  const font = { loadSystemFonts: true, defaultFontFamily: "DejaVu Sans Mono" };
  return new Resvg(svg, { font, fitTo: { mode: "zoom", value: 1.5 } }).render().asPng();
}

/** Writes `<path>.svg` and `<path>.png`. */
export async function takePicture(screen: ScreenView, path: string): Promise<void> {
  const svg = svgOf(screen);
  await writeFile(`${path}.svg`, svg);
  await writeFile(`${path}.png`, pngOf(svg));
}

/** ASCII cells that look alike are one run; every other cluster stands alone, at its own place. */
function runsOf(screen: ScreenView, row: number): readonly Run[] {
  const runs: Run[] = [];
  for (let column = 0; column < screen.columns; column++) {
    const cell = screen.cell(column, row);
    if (cell.width === 0) continue;
    const last = runs.at(-1);
    if (last !== undefined && joins(last, cell)) {
      runs[runs.length - 1] = {
        ...last,
        text: last.text + (cell.text || " "),
        columns: last.columns + 1,
      };
    } else {
      runs.push({ column, columns: cell.width, text: cell.text || " ", style: cell.style });
    }
  }
  return runs.filter((run) => run.text.trim() !== "" || /inverse|bg|underline/.test(run.style));
}

function joins(run: Run, cell: ScreenCell): boolean {
  return run.style === cell.style && /^[ -~]+$/.test(run.text) && /^[ -~]?$/.test(cell.text);
}

function svgRun(run: Run, row: number): string {
  const { front, back } = groundsOf(run.style);
  const x = round(MARGIN + run.column * CELL_WIDTH);
  const y = MARGIN + row * CELL_HEIGHT;
  const width = round(run.columns * CELL_WIDTH + 0.3);
  const box = `<rect x="${x}" y="${y}" width="${width}" height="${CELL_HEIGHT}" fill="${back}"/>`;
  const text = `<text x="${x}" y="${y + BASELINE}" fill="${front}" xml:space="preserve"${looksOf(run.style)}>${escapeXml(run.text)}</text>`;
  const isBlank = run.text.trim() === "" && !run.style.includes("underline");
  return (back === undefined ? "" : box) + (isBlank ? "" : text);
}

function groundsOf(style: string): { readonly front: string; readonly back: string | undefined } {
  const front = colourOf(style, "fg");
  const back = colourOf(style, "bg");
  if (/\binverse\b/.test(style)) return { front: back ?? BACKGROUND, back: front ?? FOREGROUND };
  return { front: front ?? FOREGROUND, back };
}

const LOOKS = [
  ["bold", ' font-weight="bold"'],
  ["italic", ' font-style="italic"'],
  ["dim", ' opacity="0.6"'],
  ["underline", ' text-decoration="underline"'],
  ["strike", ' text-decoration="line-through"'],
] as const;

function looksOf(style: string): string {
  const words = style.split(" ");
  return LOOKS.map(([word, attribute]) => (words.includes(word) ? attribute : "")).join("");
}

function svgCursor(screen: ScreenView): string {
  const { column, row, isVisible } = screen.cursor;
  if (!isVisible) return "";
  const x = round(MARGIN + column * CELL_WIDTH);
  const y = MARGIN + row * CELL_HEIGHT;
  return `<rect x="${x}" y="${y + 1}" width="2" height="${CELL_HEIGHT - 2}" fill="${FOREGROUND}"/>`;
}

function colourOf(style: string, ground: "fg" | "bg"): string | undefined {
  const value = new RegExp(`(?:^| )${ground}(\\S+)`).exec(style)?.[1];
  if (value === undefined || value.startsWith("#")) return value;
  const index = Number(value);
  return SIXTEEN[index] ?? paletteColour(index);
}

function paletteColour(index: number): string {
  if (index >= 232) return hexColour(Array(3).fill(8 + (index - 232) * 10));
  const at = index - 16;
  const step = (value: number): number => (value === 0 ? 0 : 55 + value * 40);
  return hexColour([step(Math.floor(at / 36)), step(Math.floor(at / 6) % 6), step(at % 6)]);
}

function hexColour(channels: readonly number[]): string {
  return `#${channels.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
