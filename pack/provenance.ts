import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/*
 * `npm pack` puts a statement of its origin into a package, `provenance.intoto.json` (in-toto, with SLSA's predicate): the
 * commit that it was made from, the hash of the lock file, and the hash of each file. It is not signed. `npm publish
 * --provenance` signs one of the registry's own, for the tarball.
 */

const ROOT = join(import.meta.dirname, "..");
const NAME = "provenance.intoto.json";

interface Source {
  /** null outside of a clone, such as in the build of an image. */
  commit: string | null;
  /** Whether files differ from the commit; null if it is unknown. */
  isChanged: boolean | null;
}

/** Returns the state of the git clone at `root`. */
export function sourceOf(root: string): Source {
  // A clone may lie inside of another one, which is not its source.
  if (!existsSync(join(root, ".git"))) return { commit: null, isChanged: null };
  const git = (...args: string[]) => execFileSync("git", ["-C", root, ...args], { encoding: "utf8" }).trim();
  return { commit: git("rev-parse", "HEAD"), isChanged: git("status", "--porcelain") !== "" };
}

/** Returns the problem that forbids a release from this source, or null. */
export function refusalOf({ commit, isChanged }: Source): string | null {
  if (commit === null) return "A release is made in a git clone, so that its provenance names a commit.";
  return isChanged === true ? "A release is made from a commit: files differ from it (see `git status`)." : null;
}

/** @param folder - of the package, below the root; "." for the service */
function statementOf(folder: string, source: Source): object {
  const place = join(ROOT, folder);
  const { name, version } = JSON.parse(readFileSync(join(place, "package.json"), "utf8")) as Record<string, string>;
  const lock = existsSync(join(place, "package-lock.json"))
    ? join(place, "package-lock.json")
    : join(ROOT, "package-lock.json");
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: filesOf(place).map((file) => ({ name: file, digest: { sha256: sha256(join(place, file)) } })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "urn:human-task-service:npm-pack:1",
        externalParameters: { package: name, version, folder },
        internalParameters: { node: process.version, uncommitted_changes: source.isChanged },
        resolvedDependencies: [
          ...(source.commit === null ? [] : [{ name: "source", digest: { gitCommit: source.commit } }]),
          { name: "package-lock.json", digest: { sha256: sha256(lock) } },
        ],
      },
      runDetails: { builder: { id: "urn:human-task-service:clone" } },
    },
  };
}

/** The files that npm packs, as npm itself says. */
function filesOf(place: string): string[] {
  // What this runs in may be an `npm pack` of a workspace, with options of its own.
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("npm_config_"));
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts", "--silent"];
  const output = execFileSync("npm", args, { cwd: place, env: Object.fromEntries(kept), encoding: "utf8" });
  const [packed] = JSON.parse(output.slice(output.indexOf("["))) as { files: { path: string }[] }[];
  return packed!.files
    .map(({ path }) => path)
    .filter((path) => path !== NAME)
    .toSorted();
}

function sha256(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

function main(folders: readonly string[]): void {
  const source = sourceOf(ROOT);
  // npm says so where it packs in order to publish.
  const refusal = process.env["npm_command"] === "publish" ? refusalOf(source) : null;
  if (refusal !== null) {
    process.stderr.write(`${refusal}\n`);
    process.exitCode = 1;
    return;
  }
  for (const folder of folders)
    writeFileSync(join(ROOT, folder, NAME), `${JSON.stringify(statementOf(folder, source), null, 1)}\n`);
}

if (import.meta.main) main(process.argv.slice(2));
