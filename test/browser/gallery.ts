import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildGallery, startGallery, type Gallery } from "../../gallery/server.ts";

/** The gallery on any free port. Its pages are built once for all files of a run, by the first that needs them. */
export async function openGallery(): Promise<Gallery> {
  const shared = process.env["TEST_SHARED"];
  if (shared === undefined) return startGallery({ port: 0 });
  const built = join(shared, "gallery");
  if (!existsSync(built)) await buildInto(built);
  return startGallery({ port: 0, built });
}

/** Whoever is there first wins; who builds at the same time takes what the other has built. */
async function buildInto(folder: string): Promise<void> {
  const own = mkdtempSync(join(tmpdir(), "gallery-pages-"));
  try {
    await buildGallery(own);
    renameSync(own, folder);
  } catch (error) {
    rmSync(own, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}
