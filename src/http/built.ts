import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { fastifyStatic } from "@fastify/static";
import type { FastifyInstance } from "fastify";
import { escapeHtml } from "./page.ts";

/** The files of a page, built by `npm run build`. Their names contain a hash of their content. */
interface Manifest {
  readonly script: string;
  /** The imports of the script. */
  readonly imports: readonly string[];
  readonly style: string;
}

const BUILT = new URL("../../web/dist/", import.meta.url);

/** Returns the path of a built file or folder. */
export function builtPath(name: string): string {
  return fileURLToPath(new URL(name, BUILT));
}

/**
 * Serves the files of a page under `prefix`, as the build compressed them.
 * @returns the elements of its head that load them; null if the pages were not built
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

/** @returns the manifest of the files; null if the pages were not built */
async function serveFiles<M>(app: FastifyInstance, name: string, prefix: string): Promise<M | null> {
  const manifest = readManifest<M>(name);
  if (manifest === null) return null;
  await app.register(fastifyStatic, {
    root: builtPath(name),
    prefix,
    schemaHide: true,
    index: false,
    // Allow only files in that folder, by name.
    allowedPath: (path) => /^\/[\w-]+\.\w+$/.test(path),
    decorateReply: false,
    preCompressed: true,
    immutable: true,
    maxAge: "365d",
  });
  return manifest;
}

function readManifest<M>(name: string): M | null {
  const text = readBuilt(`${name}.json`);
  return text === null ? null : (JSON.parse(text) as M);
}

/** Returns the text of a built file; null if it was not built. */
export function readBuilt(name: string): string | null {
  try {
    return readFileSync(builtPath(name), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
