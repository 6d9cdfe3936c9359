import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { InlineConfig, Plugin, Rolldown } from "vite";
import { compress, gzippedKb } from "./compress.ts";

/*
 * `npm run build` builds what browsers load, and what the service renders pages with, into `dist/`; installing does too,
 * with `--if-possible`: without the development dependencies it says what to do, and is content.
 */

const HERE = import.meta.dirname;
const DIST = join(HERE, "dist");

/** The components are written for React's hooks, and compiled for either library. */
export type Library = "react" | "preact";

/** Files of a page, as the server has to name them. Each has a hash in its name, so it may be cached for ever. */
export interface Manifest {
  /** A module; it finds by itself what it loads later. */
  script: string;
  /** What the module imports, to be loaded beside it instead of after it. */
  imports: string[];
  style: string;
}

/** What was built, in kB after gzip. */
type Sizes = Record<string, number>;

/**
 * Builds the script and the style sheet of a page into `outDir`, each file also compressed beside itself, and names them in
 * `outDir`.json.
 */
export async function buildPage(library: Library, entry: string, outDir: string): Promise<Sizes> {
  const files = await bundle(library, outDir, {
    base: "./",
    build: {
      cssCodeSplit: false,
      // No data: addresses: the pages' policy refuses them for all but images.
      assetsInlineLimit: 0,
      modulePreload: false,
      rolldownOptions: {
        input: entry,
        output: {
          entryFileNames: "[name]-[hash].js",
          chunkFileNames: "[name]-[hash].js",
          assetFileNames: "[name]-[hash][extname]",
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

/** The chunk and all that it imports, which the page waits for. */
function loadedWith(main: Rolldown.OutputChunk, chunks: readonly Rolldown.OutputChunk[]): Set<Rolldown.OutputChunk> {
  const loaded = new Set([main]);
  for (const chunk of loaded) for (const other of chunks) if (chunk.imports.includes(other.fileName)) loaded.add(other);
  return loaded;
}

/** Builds a module for Node that renders components to HTML, with all it needs, as `outDir/<name of entry>.js`. */
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

/** Vite would have a module that is loaded later bring its style sheet along; here a page has one for everything. */
const withoutPreloading: Plugin = {
  name: "without-preloading",
  enforce: "pre",
  load: (id) => (id === "\0vite/preload-helper.js" ? "export const __vitePreload = (load) => load();" : undefined),
};

/** Light pages see no schema that the service has not accepted; the dashboard has a playground. */
const withVettedSchemas: Plugin = {
  name: "with-vetted-schemas",
  enforce: "pre",
  load: (id) => (id.endsWith("/json-schema/vetted.ts") ? "export const IS_VETTED = true;" : undefined),
};

const ICONS = join(HERE, "../vendor/tabler-icons");

/** A drawing is imported as its paths. Whoever gets a copy of one gets its license as well. */
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

/** @throws Error when it is drawn with something else than paths */
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
        ? // Some hundred calls with one object less each.
          {
            jsx: { runtime: "classic", pragma: "h", pragmaFrag: "Fragment" },
            jsxInject: `import { h, Fragment } from "preact";`,
          }
        : { jsx: { runtime: "automatic", importSource: library } },
    resolve: { alias: library === "preact" ? [{ find: /^react$/, replacement: "preact/hooks" }] : [] },
    build: {
      outDir,
      emptyOutDir: true,
      // What their licenses ask of whoever hands on a copy.
      license: { fileName: "licenses.md" },
      reportCompressedSize: false,
      // The budgets are tests.
      chunkSizeWarningLimit: 2_000,
      rolldownOptions: {
        // "use client" means something to servers that render React, which nobody here does.
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

/** What the service needs, by folder in `dist/`. */
const TARGETS: Record<string, (outDir: string) => Promise<Sizes>> = {
  server: (outDir) => buildRenderer(join(HERE, "server/render.tsx"), outDir),
  dashboard: (outDir) => buildPage("react", join(HERE, "dashboard/main.tsx"), outDir),
  light: (outDir) => buildPage("preact", join(HERE, "light/main.tsx"), outDir),
  embed: (outDir) => buildPage("preact", join(HERE, "embed/main.tsx"), outDir),
};

async function main(ifPossible: boolean): Promise<number> {
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

if (import.meta.main) process.exitCode = await main(process.argv.includes("--if-possible"));
