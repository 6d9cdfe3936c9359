import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { fastifyStatic } from "@fastify/static";
import type { FastifyInstance } from "fastify";
import { escapeHtml } from "./page.ts";

/** The files of a page that `npm run build` has made. Their names carry a hash of what is in them. */
interface Manifest {
  readonly script: string;
  /** What the script imports. */
  readonly imports: readonly string[];
  readonly style: string;
}

const BUILT = new URL("../../web/dist/", import.meta.url);

/** Where a file or folder of what was built lies. */
export function builtPath(name: string): string {
  return fileURLToPath(new URL(name, BUILT));
}

/**
 * Serves the files of a page under `prefix`, as the build has compressed them.
 * @returns the elements of its head that load them; null: the pages were not built
 */
export async function serveBuilt(app: FastifyInstance, name: string, prefix: string): Promise<string | null> {
  const manifest = await serveFiles<Manifest>(app, name, prefix);
  if (manifest === null) return null;
  const address = (file: string) => escapeHtml(prefix + file);
  return [
    `<link rel="stylesheet" href="${address(manifest.style)}">`,
    ...manifest.imports.map((file) => `<link rel="modulepreload" href="${address(file)}">`),
    `<script type="module" src="${address(manifest.script)}"></script>`,
  ].join("\n");
}

/** @returns what names the files; null: the pages were not built */
async function serveFiles<M>(app: FastifyInstance, name: string, prefix: string): Promise<M | null> {
  const manifest = readManifest<M>(name);
  if (manifest === null) return null;
  await app.register(fastifyStatic, {
    root: builtPath(name),
    prefix,
    schemaHide: true,
    index: false,
    // Files of that folder, by name.
    allowedPath: (path) => /^\/[\w-]+\.\w+$/.test(path),
    decorateReply: false,
    preCompressed: true,
    immutable: true,
    maxAge: "365d",
  });
  return manifest;
}

function readManifest<M>(name: string): M | null {
  try {
    return JSON.parse(readFileSync(builtPath(`${name}.json`), "utf8")) as M;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
