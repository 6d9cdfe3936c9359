/*
 * An accent of the embedding product: kept where it can be read, on light or on dark, and passed over where it cannot.
 */

type Rgb = readonly [number, number, number];

/** The colors behind and on top of the accent, as in web/tokens.css. */
const THEMES = {
  light: { surface: [255, 255, 255], on_accent: [255, 255, 255], own: ["#4c45d6", "#eeedfc"] },
  dark: { surface: [27, 31, 42], on_accent: [18, 18, 28], own: ["#9c97ff", "#262450"] },
} as const satisfies Record<string, { surface: Rgb; on_accent: Rgb; own: readonly [accent: string, soft: string] }>;

/** How much of it is in the ground of what was chosen. */
const SOFT = 0.08;
/** WCAG 2.2 AA, for text. */
const CONTRAST_MIN = 4.5;

/** Returns a style sheet that sets the accent in the themes where it is readable; empty if in none, or if it is not a colour. */
export function accentStyle(accent: unknown): string {
  const color = typeof accent === "string" ? parseColor(accent) : null;
  if (color === null) return "";
  const pairs = (["light", "dark"] as const).map((theme) => {
    const { surface, on_accent, own } = THEMES[theme];
    const soft = mix(color, surface, SOFT);
    const isReadable = [surface, soft, on_accent].every((other) => contrast(color, other) >= CONTRAST_MIN);
    return { isReadable, values: isReadable ? [hex(color), hex(soft)] : own };
  });
  if (pairs.every(({ isReadable }) => !isReadable)) return "";
  const [light, dark] = pairs.map(({ values }) => values);
  return `:root{--accent:light-dark(${light![0]},${dark![0]});--accent-soft:light-dark(${light![1]},${dark![1]})}`;
}

/** `#0a7`, `00aa77` and the like. */
function parseColor(text: string): Rgb | null {
  const [, digits] = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text) ?? [];
  if (digits === undefined) return null;
  const full = digits.length === 3 ? digits.replaceAll(/./g, "$&$&") : digits;
  const at = (i: number) => Number.parseInt(full.slice(i, i + 2), 16);
  return [at(0), at(2), at(4)];
}

function mix(color: Rgb, ground: Rgb, part: number): Rgb {
  const at = (i: 0 | 1 | 2) => Math.round(color[i] * part + ground[i] * (1 - part));
  return [at(0), at(1), at(2)];
}

function hex(color: Rgb): string {
  return `#${color.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

/** As WCAG 2.2 defines it, 1 to 21. */
function contrast(one: Rgb, other: Rgb): number {
  const [low, high] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (high! + 0.05) / (low! + 0.05);
}

function luminance(color: Rgb): number {
  const [r, g, b] = color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}
