import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import type { InlineConfig, Plugin, Rolldown } from "vite";
import { compress, gzippedKb } from "./compress.ts";

/*
 * `npm run build` builds the pages for browsers, and the renderer of the service, into `dist/`. Installing runs it with
 * `--if-possible`: if development dependencies are missing, it only prints what to do.
 */

const HERE = import.meta.dirname;
const DIST = join(HERE, "dist");

/** The components use React's hooks, and are compiled for either library. */
export type Library = "react" | "preact";

/** The files of a page, whose names the server needs. Each name contains a hash, so the files may be cached forever. */
export interface Manifest {
  /** A module, which loads further files by itself. */
  script: string;
  /** The imports of the module, loaded in parallel instead of after it. */
  imports: string[];
  style: string;
}

/** The sizes of the built files, in kB after gzip. */
type Sizes = Record<string, number>;

/**
 * Builds the script and the style sheet of a page into `outDir`, with a compressed copy of each file. Writes their
 * names to `outDir`.json.
 */
export async function buildPage(library: Library, entry: string, outDir: string): Promise<Sizes> {
  const files = await bundle(library, outDir, {
    base: "./",
    build: {
      cssCodeSplit: false,
      // Embed no files as `data:` addresses, because the pages' policy allows them for images only.
      assetsInlineLimit: 0,
      modulePreload: false,
      rolldownOptions: {
        input: entry,
        output: {
          entryFileNames: "[name]-[hash].js",
          chunkFileNames: "[name]-[hash].js",
          assetFileNames: "[name]-[hash][extname]",
          // What a page waits for is one file, however many parts that are loaded later share some of it.
          codeSplitting: { groups: [{ name: "shared", tags: ["$initial"] }] },
        },
      },
    },
  });
  const chunks = files.filter((file) => file.type === "chunk");
  const main = chunks.find((chunk) => chunk.isEntry);
  const style = files.find((file) => file.fileName.endsWith(".css"));
  if (!main || !style) throw new Error(`${entry} gives no script or no style sheet.`);
  const first = loadedWith(main, chunks);
  const imports = [...first].filter((chunk) => chunk !== main).map(({ fileName }) => fileName);
  const manifest: Manifest = { script: main.fileName, imports, style: style.fileName };
  writeFileSync(`${outDir}.json`, JSON.stringify(manifest));
  for (const { fileName } of files) compress(join(outDir, fileName));

  const later = chunks.filter((chunk) => !first.has(chunk));
  const sizes: Sizes = { JS: gzipped(outDir, [...first]), CSS: gzipped(outDir, [style]) };
  return later.length === 0 ? sizes : { ...sizes, "JS loaded later": gzipped(outDir, later) };
}

/** Returns the chunk and all of its imports, which the page waits for. */
function loadedWith(main: Rolldown.OutputChunk, chunks: readonly Rolldown.OutputChunk[]): Set<Rolldown.OutputChunk> {
  const loaded = new Set([main]);
  for (const chunk of loaded) for (const other of chunks) if (chunk.imports.includes(other.fileName)) loaded.add(other);
  return loaded;
}

/**
 * Builds a page that is one file with everything in it, as `outDir/page.html`, from a page beside its entry that says where the
 * script and the style sheet belong. Hosts show it where it can load nothing.
 */
export async function buildDocument(entry: string, outDir: string): Promise<Sizes> {
  const files = await bundle("preact", outDir, {
    plugins: [withoutLaterParts],
    build: {
      write: false,
      cssCodeSplit: false,
      modulePreload: false,
      rolldownOptions: { input: entry, output: { codeSplitting: false } },
    },
  });
  const script = files.find((file) => file.type === "chunk")!.code.replaceAll(/<(?=\/script|!--)/gi, "\\x3c");
  const assets = files.filter((file) => file.type === "asset");
  const textOf = (name: string) => assets.find(({ fileName }) => fileName.endsWith(name))!.source as string;
  const style = textOf(".css");
  const page = readFileSync(join(entry, "../page.html"), "utf8");
  rmSync(outDir, { recursive: true, force: true });
  mkdirSync(outDir, { recursive: true });
  const html = page.replace("/* style */", () => style).replace("/* script */", () => script);
  writeFileSync(join(outDir, "page.html"), html);
  writeFileSync(join(outDir, "licenses.md"), textOf("licenses.md"));
  return { JS: gzipSync(script, { level: 9 }).length / 1000, CSS: gzipSync(style, { level: 9 }).length / 1000 };
}

/** Builds the worker that shows notifications as one script, `outDir`/worker.js. Its address never changes. */
export async function buildWorker(entry: string, outDir: string): Promise<Sizes> {
  // It draws nothing, so it gets neither library.
  const files = await bundle("react", outDir, {
    build: {
      modulePreload: false,
      rolldownOptions: { input: entry, output: { entryFileNames: "[name].js", format: "iife", codeSplitting: false } },
    },
  });
  return {
    JS: gzipped(
      outDir,
      files.filter((file) => file.type === "chunk"),
    ),
  };
}

/** Builds a module for Node that renders components to HTML, with its dependencies, as `outDir/<name of entry>.js`. */
export async function buildRenderer(entry: string, outDir: string): Promise<Sizes> {
  const files = await bundle("preact", outDir, {
    ssr: { noExternal: true, target: "node" },
    build: {
      ssr: entry,
      minify: false,
      rolldownOptions: { output: { entryFileNames: "[name].js", codeSplitting: false } },
    },
  });
  return {
    JS: gzipped(
      outDir,
      files.filter((file) => file.type === "chunk"),
    ),
  };
}

/** Vite would load a separate style sheet with each module that is loaded later. Here a page has one style sheet. */
const withoutPreloading: Plugin = {
  name: "without-preloading",
  enforce: "pre",
  load: (id) => (id === "\0vite/preload-helper.js" ? "export const __vitePreload = (load) => load();" : undefined),
  generateBundle: {
    order: "post",
    handler: (_, files) => {
      // The helper takes no list of style sheets, nor the address that they are relative to.
      for (const file of Object.values(files))
        if (file.type === "chunk") file.code = file.code.replaceAll(",[],import.meta.url)", ")");
    },
  },
};

/** Light pages show only schemas that the service has accepted. The dashboard also has a playground. */
const withVettedSchemas: Plugin = {
  name: "with-vetted-schemas",
  enforce: "pre",
  load: (id) => (id.endsWith("/json-schema/vetted.ts") ? "export const IS_VETTED = true;" : undefined),
};

/**
 * Leaves out what other pages load later, and only when they need it: the rules of patterns and formats, which the service checks
 * in any case, and the list of what was changed.
 */
const withoutLaterParts: Plugin = {
  name: "without-later-parts",
  enforce: "pre",
  load: (id) =>
    id.endsWith("/web/form/text-rules.ts")
      ? "export const useTextRules = () => {};"
      : id.endsWith("/web/form/later-changes.tsx")
        ? "export const LaterChanges = () => null;"
        : undefined,
};

const ICONS = join(HERE, "../vendor/tabler-icons");

/** Imports a drawing as its paths. A copy of a drawing includes its license. */
const withIcons: Plugin = {
  name: "with-icons",
  enforce: "pre",
  load: (id) => (id.startsWith(ICONS) ? `export default ${JSON.stringify(pathsOf(id))};` : undefined),
  generateBundle: {
    order: "post",
    handler: (_, files) => {
      const chunks = Object.values(files).filter((file) => file.type === "chunk");
      if (!chunks.some(({ moduleIds }) => moduleIds.some((id) => id.startsWith(ICONS)))) return;
      const licenses = files["licenses.md"] as Rolldown.OutputAsset;
      const [, version] = /`@tabler\/icons` (\S+?),/.exec(readFileSync(join(ICONS, "README.md"), "utf8"))!;
      const license = readFileSync(join(ICONS, "LICENSE"), "utf8");
      licenses.source = `${licenses.source as string}\n## @tabler/icons - ${version} (MIT)\n\n${license}`;
    },
  },
};

/** @throws Error if it contains other elements than paths */
function pathsOf(file: string): string[] {
  const drawing = readFileSync(file, "utf8");
  const [frame, ...paths] = Array.from(drawing.matchAll(/<path [^>]*?\bd="(.+?)"/g), ([, path]) => path!);
  if (frame !== "M0 0h24v24H0z" || /<(?!path|\/?svg)/.test(drawing)) throw new Error(`${file} is not only paths.`);
  return paths;
}

async function bundle(
  library: Library,
  outDir: string,
  config: InlineConfig,
): Promise<Rolldown.RolldownOutput["output"]> {
  const { build, mergeConfig } = await import("vite");
  const common: InlineConfig = {
    root: HERE,
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: "warn",
    plugins: [withoutPreloading, withIcons, library === "preact" && withVettedSchemas],
    define: { "process.env.NODE_ENV": '"production"' },
    oxc:
      library === "preact"
        ? // The classic runtime creates one object less in each of some hundred calls.
          {
            jsx: { runtime: "classic", pragma: "h", pragmaFrag: "Fragment" },
            jsxInject: `import { h, Fragment } from "preact";`,
          }
        : { jsx: { runtime: "automatic", importSource: library } },
    resolve: { alias: library === "preact" ? [{ find: /^react$/, replacement: "preact/hooks" }] : [] },
    build: {
      outDir,
      emptyOutDir: true,
      // The licenses require this file in copies.
      license: { fileName: "licenses.md" },
      reportCompressedSize: false,
      // Tests check the size limits.
      chunkSizeWarningLimit: 2_000,
      rolldownOptions: {
        // "use client" only concerns servers that render React, which are not used here.
        onLog: (level, log, handle) => (log.code === "MODULE_LEVEL_DIRECTIVE" ? undefined : handle(level, log)),
      },
    },
  };
  const result = await build(mergeConfig(common, config));
  if (!("output" in result)) throw new Error("A build gave not one output.");
  return result.output;
}

function gzipped(outDir: string, files: readonly { fileName: string }[]): number {
  return gzippedKb(files.map(({ fileName }) => join(outDir, fileName)));
}

/** The outputs that the service needs, by folder in `dist/`. */
const TARGETS: Record<string, (outDir: string) => Promise<Sizes>> = {
  server: (outDir) => buildRenderer(join(HERE, "server/render.tsx"), outDir),
  dashboard: (outDir) => buildPage("react", join(HERE, "dashboard/main.tsx"), outDir),
  light: (outDir) => buildPage("preact", join(HERE, "light/main.tsx"), outDir),
  embed: (outDir) => buildPage("preact", join(HERE, "embed/main.tsx"), outDir),
  app: (outDir) => buildDocument(join(HERE, "app/main.tsx"), outDir),
  worker: (outDir) => buildWorker(join(HERE, "worker/worker.ts"), outDir),
};

/** @param names - of the outputs to build; none: all */
async function main(names: readonly string[], ifPossible: boolean): Promise<number> {
  if (!(await hasVite())) {
    const isBuilt = Object.keys(TARGETS).every((name) => existsSync(join(DIST, name)));
    if (isBuilt && ifPossible) return 0;
    process.stderr.write(
      "The pages are not built: that takes Vite, a development dependency. " +
        "Run `npm ci --include=dev` and `npm run build`, or bring the folder web/dist from where that was done.\n",
    );
    return ifPossible ? 0 : 1;
  }
  for (const [name, build] of Object.entries(TARGETS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const sizes = Object.entries(await build(join(DIST, name)));
    process.stdout.write(
      `web/dist/${name}: ${sizes.map(([kind, kB]) => `${kB.toFixed(1)} kB ${kind}`).join(", ")} (gzip)\n`,
    );
  }
  return 0;
}

async function hasVite(): Promise<boolean> {
  try {
    await import("vite");
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND") return false;
    throw error;
  }
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { "if-possible": { type: "boolean", default: false } },
  });
  process.exitCode = await main(positionals, values["if-possible"]);
}
