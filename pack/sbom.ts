import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/*
 * `npm pack` adds a software bill of materials, `sbom.cdx.json` (CycloneDX), to a package. It lists the packages that
 * npm installs with it, in the tested versions of the lock file, and the packages that are built into its pages. It is
 * made from the lock file, because `npm sbom --omit dev` leaves out packages that another workspace needs for
 * development, such as fastify and pg.
 */

const ROOT = join(import.meta.dirname, "..");

interface Locked {
  name?: string;
  version?: string;
  resolved?: string;
  integrity?: string;
  license?: string;
  link?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

interface Component {
  type: "library" | "application";
  "bom-ref": string;
  name: string;
  version: string;
  purl: string;
  licenses?: object[];
  hashes?: object[];
  properties?: { name: string; value: string }[];
}

/** The locked packages by their path in a clone: those of the root's lock file, and of a folder that has its own. */
const packages: Record<string, Locked> = { ...lockOf("") };

function lockOf(folder: string): Record<string, Locked> {
  const lock = readFileSync(join(ROOT, folder, "package-lock.json"), "utf8");
  return (JSON.parse(lock) as { packages: Record<string, Locked> }).packages;
}

function main(folders: readonly string[]): void {
  for (const folder of folders) {
    const place = folder === "." ? "" : folder;
    if (!(place in packages))
      for (const [path, locked] of Object.entries(lockOf(place)))
        packages[[place, path].filter(Boolean).join("/")] = locked;
    const bom = listOf(place);
    writeFileSync(join(ROOT, place, "sbom.cdx.json"), `${JSON.stringify(bom, null, 1)}\n`);
  }
}

function listOf(place: string): object {
  const components = new Map<string, Component>();
  const dependencies = new Map<string, string[]>();
  const visit = (path: string): string => {
    const component = componentOf(path);
    const ref = component["bom-ref"];
    if (dependencies.has(ref)) return ref;
    components.set(ref, component);
    dependencies.set(ref, []);
    dependencies.set(ref, installedWith(path).map(visit));
    return ref;
  };
  const self = visit(place);
  const own = { ...components.get(self)!, type: "application" as const };
  components.delete(self);
  const built = [...builtIn(place), ...(BUNDLED[place] ?? []).map(bundled)];
  for (const [folder, name, version, license] of built) {
    const ref = purl(name, version);
    const component = components.get(ref) ?? describe(name, version, license);
    component.properties = [...(component.properties ?? []), { name: "built-into", value: folder }];
    components.set(ref, component);
    if (!dependencies.has(ref)) dependencies.set(ref, []);
    dependencies.set(self, [...new Set([...dependencies.get(self)!, ref])]);
  }
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: own },
    components: Array.from(components.values()).toSorted((a, b) => (a.purl < b.purl ? -1 : 1)),
    dependencies: Array.from(dependencies, ([ref, dependsOn]) => ({ ref, dependsOn })),
  };
}

/** What is inside of a file of a package, by the folder of the package. */
const BUNDLED: Readonly<Record<string, readonly { folder: string; name: string }[]>> = {
  sdk: [{ folder: "dist/testing", name: "rfc6902" }],
};

function bundled({ folder, name }: { folder: string; name: string }): [string, string, string, string] {
  const { version, license } = packages[`node_modules/${name}`]!;
  return [folder, name, version!, license!];
}

/** Returns what npm installs for the package at `path`, as paths of the lock file. Optional peers are left out. */
function installedWith(path: string): string[] {
  const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} } = packages[path]!;
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  const names = new Set([...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]);
  return [...names].flatMap((name) => find(name, path) ?? []);
}

/**
 * Looks for a package as Node does: in the folder, then in those around it. The path of a workspace is where its link
 * leads.
 */
function find(name: string, from: string): string | null {
  for (let around: string | null = from; around !== null; around = parent(around)) {
    const path = `${around === "" ? "" : `${around}/`}node_modules/${name}`;
    const locked = packages[path];
    if (locked) return locked.link === true ? locked.resolved! : path;
  }
  return null;
}

function parent(path: string): string | null {
  if (path === "") return null;
  const end = path.lastIndexOf("/node_modules/");
  return end === -1 ? "" : path.slice(0, end);
}

function componentOf(path: string): Component {
  const { name, version, license, integrity } = packages[path]!;
  return describe(name ?? path.replace(/^.*node_modules\//, ""), version!, license, integrity);
}

function describe(name: string, version: string, license?: string, integrity?: string): Component {
  const ref = purl(name, version);
  const content = integrity && Buffer.from(integrity.replace(/^sha512-/, ""), "base64").toString("hex");
  return {
    type: "library",
    "bom-ref": ref,
    name,
    version,
    purl: ref,
    ...(license && { licenses: [/\s/.test(license) ? { expression: license } : { license: { id: license } }] }),
    ...(content && { hashes: [{ alg: "SHA-512", content }] }),
  };
}

function purl(name: string, version: string): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

/** The packages that contain works of others, and what makes them. */
const WITH_OTHERS: Readonly<Record<string, string>> = {
  "": "node web/build.ts && node pack/build.ts",
  mcp: "node mcp/build.ts",
};

/**
 * Returns folder, name, version and license of each package that is built into our pages or our code, as their builds
 * wrote them.
 */
function builtIn(place: string): [folder: string, name: string, version: string, license: string][] {
  const made = WITH_OTHERS[place];
  if (made === undefined) return [];
  const dist = join(ROOT, place, "dist");
  if (!existsSync(dist)) throw new Error(`dist/ is not there: ${made} makes it.`);
  return globSync("**/licenses.md", { cwd: dist }).flatMap((file) =>
    Array.from(
      readFileSync(join(dist, file), "utf8").matchAll(/^## (\S+) - (\S+) \((.+)\)$/gm),
      ([, name, version, license]): [string, string, string, string] => [
        `dist/${dirname(file)}`,
        name!,
        version!,
        license!,
      ],
    ),
  );
}

main(process.argv.slice(2));
