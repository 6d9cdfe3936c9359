import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { buildDocument, buildPage, buildRenderer, type Library, type Manifest } from "./build.ts";

const DASHBOARD = join(import.meta.dirname, "dashboard/main.tsx");
const LIGHT = join(import.meta.dirname, "light/main.tsx");
const EMBED = join(import.meta.dirname, "embed/main.tsx");
const APP = join(import.meta.dirname, "app/main.tsx");

function temporaryFolder(t: TestContext): string {
  const around = mkdtempSync(join(tmpdir(), "web-build-"));
  const folder = join(around, "page");
  mkdirSync(folder);
  // Vite uses this variable to tell other tools its mode.
  const environment = process.env["NODE_ENV"];
  t.after(() => {
    rmSync(around, { recursive: true });
    if (environment === undefined) delete process.env["NODE_ENV"];
    else process.env["NODE_ENV"] = environment;
  });
  return folder;
}

function manifest(folder: string): Manifest {
  return JSON.parse(readFileSync(`${folder}.json`, "utf8")) as Manifest;
}

void test("a light page loads at most 35 kB of scripts and 6 kB of styles", async (t) => {
  for (const page of [LIGHT, EMBED]) {
    const { JS = Infinity, CSS = Infinity } = await buildPage("preact", page, temporaryFolder(t));
    assert.ok(JS <= 35, `${JS} kB of scripts`);
    assert.ok(CSS <= 6, `${CSS} kB of styles`);
  }
});

void test("the form for MCP hosts is one file that loads nothing, of at most 35 kB of scripts and 6 kB of styles", async (t) => {
  const folder = temporaryFolder(t);
  const { JS = Infinity, CSS = Infinity } = await buildDocument(APP, folder);
  assert.ok(JS <= 35, `${JS} kB of scripts`);
  assert.ok(CSS <= 6, `${CSS} kB of styles`);
  assert.deepEqual(readdirSync(folder), ["licenses.md", "page.html"]);
  const page = readFileSync(join(folder, "page.html"), "utf8");
  assert.equal(page.match(/<script/g)?.length, 1);
  assert.equal(page.match(/<\/script/g)?.length, 1, "no text of the script ends it");
  assert.doesNotMatch(page, /<link|<(?:script|img)[^>]* src=|@import|url\(|\bfetch\(|XMLHttpRequest|\bimport\(/);
  assert.match(readFileSync(join(folder, "licenses.md"), "utf8"), /^## preact - [^]*^## @tabler\/icons - /m);
});

void test("the dashboard's first load is at most 280 kB of scripts and 45 kB of styles", async (t) => {
  const { JS = Infinity, CSS = Infinity } = await buildPage("react", DASHBOARD, temporaryFolder(t));
  assert.ok(JS <= 280, `${JS} kB of scripts`);
  assert.ok(CSS <= 45, `${CSS} kB of styles`);
});

void test("a page's manifest names its script and its style sheet", async (t) => {
  const folder = temporaryFolder(t);
  await buildPage("preact", LIGHT, folder);
  const { script, style } = manifest(folder);
  const files = readdirSync(folder);
  assert.ok(files.includes(script) && files.includes(style));
  assert.match(`${script} ${style}`, /^main-[\w-]{8}\.js style-[\w-]{8}\.css$/);
});

void test("whoever gets a copy of a drawing gets its license", async (t) => {
  const folder = temporaryFolder(t);
  await buildPage("preact", LIGHT, folder);
  assert.match(
    readFileSync(join(folder, "licenses.md"), "utf8"),
    /^## @tabler\/icons - [\d.]+ \(MIT\)\n\nMIT License\n/m,
  );
});

void test("what is loaded later counts on its own", async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "page.css"), "p { color: red }");
  writeFileSync(join(folder, "later.ts"), `export const text = ${JSON.stringify("later ".repeat(1000))};`);
  writeFileSync(join(folder, "page.ts"), `import "./page.css"; void import("./later.ts").then(console.log);`);
  const sizes = await buildPage("react", join(folder, "page.ts"), join(folder, "out"));
  assert.deepEqual(Object.keys(sizes), ["JS", "CSS", "JS loaded later"]);
});

void test("one component becomes React's in one build and Preact's in the other", async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "page.css"), "p { color: red }");
  writeFileSync(
    join(folder, "page.tsx"),
    `import { useState } from "react";
     import "./page.css";
     function Page() { const [n] = useState(3); return <p className="a">{n}</p>; }
     console.log(<Page />);`,
  );
  symlinkSync(join(import.meta.dirname, "../node_modules"), join(folder, "node_modules"));
  const usesReact = async (library: Library) => {
    const outDir = join(folder, library);
    await buildPage(library, join(folder, "page.tsx"), outDir);
    return /Symbol\.for\(.react\./.test(readFileSync(join(outDir, manifest(outDir).script), "utf8"));
  };
  assert.deepEqual([await usesReact("react"), await usesReact("preact")], [true, false]);
});

void test("the renderer is one module that needs no package", async (t) => {
  const folder = temporaryFolder(t);
  await buildRenderer(join(import.meta.dirname, "server/render.tsx"), folder);
  assert.deepEqual(readdirSync(folder), ["licenses.md", "render.js"]);
  const imports = readFileSync(join(folder, "render.js"), "utf8").matchAll(/^import .*?from "(.*)";$/gm);
  assert.deepEqual(
    [...imports].map(([, name]) => name).filter((name) => !name?.startsWith("node:")),
    [],
  );
});

void test("an install without development dependencies goes on, and says what is missing until the pages are there", (t) => {
  const folder = temporaryFolder(t);
  for (const file of ["build.ts", "compress.ts"]) copyFileSync(join(import.meta.dirname, file), join(folder, file));
  const build = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ["build.ts", ...args], {
      cwd: folder,
      encoding: "utf8",
    });
    return { status, said: stdout + stderr };
  };
  const missing = /^The pages are not built: that takes Vite.*\n$/;
  const installed = build("--if-possible");
  assert.match(installed.said, missing);
  assert.equal(installed.status, 0);
  assert.match(build().said, missing);
  assert.equal(build().status, 1);
  for (const name of ["server", "dashboard", "light", "embed", "app", "worker"])
    mkdirSync(join(folder, "dist", name), { recursive: true });
  assert.deepEqual(build("--if-possible"), { status: 0, said: "" });
});
