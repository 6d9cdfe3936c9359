import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const css = readFileSync(join(import.meta.dirname, "tokens.css"), "utf8");

/** Returns the colours of a theme by token, each as red, green and blue from 0 to 255. */
function coloursOf(theme: "light" | "dark"): Map<string, number[]> {
  const tokens = css.matchAll(/--([\w-]+): light-dark\(#(\w{6}), #(\w{6})\);/g);
  return new Map(
    [...tokens].map(([, name, light, dark]) => [
      name!,
      (theme === "light" ? light! : dark!).match(/../g)!.map((part) => Number.parseInt(part, 16)),
    ]),
  );
}

/** Returns the contrast as WCAG 2 defines it: 1 for no contrast, 21 for black on white. */
function contrast(one: number[], other: number[]): number {
  const [lighter, darker] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (lighter! + 0.05) / (darker! + 0.05);
}

function luminance(colour: number[]): number {
  const [red, green, blue] = colour
    .map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

const SURFACES = ["bg", "sub", "raised", "hover"];
const STATUS = ["info", "warn", "ok", "bad", "mute"];

const READ = [
  ...["text", "text-2", "text-3", "accent", ...STATUS].flatMap((text) => SURFACES.map((ground) => [text, ground])),
  ...STATUS.map((status) => [status, `${status}-soft`]),
  ...STATUS.map((status) => ["text", `${status}-soft`]),
  ["accent", "accent-soft"],
  ["text", "accent-soft"],
  ["on-accent", "accent"],
] as [string, string][];

/** Edges of controls, and the focus ring. */
const SEEN = ["control-edge", "accent"].flatMap((edge) => SURFACES.map((ground) => [edge, ground])) as [
  string,
  string,
][];

for (const theme of ["light", "dark"] as const) {
  void test(`text can be read and controls can be seen in the ${theme} theme`, () => {
    const colours = coloursOf(theme);
    const tooWeak = (pairs: [string, string][], needed: number) =>
      pairs
        .map(([front, ground]) => ({ front, ground, is: contrast(colours.get(front)!, colours.get(ground)!) }))
        .filter(({ is }) => is < needed)
        .map(({ front, ground, is }) => `${front} on ${ground}: ${is.toFixed(2)}`);
    assert.deepEqual(tooWeak(READ, 4.5), []);
    assert.deepEqual(tooWeak(SEEN, 3), []);
  });
}
