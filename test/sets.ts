import { dirname, matchesGlob } from "node:path";

/** Tests that are run together, when what they speak of has changed. */
export interface TestSet {
  /** Globs of its files. Every test file is in one set. */
  files: readonly string[];
  /** What its promises rest on: paths, or beginnings of paths that end with a slash. */
  rooms: readonly string[];
  /** So many of its files run in one process, which spares loading the service, or starting a browser, for each. */
  together?: number;
  /** A module that is loaded before such files, because what it registers is meant for all of them. */
  before?: string;
}

/** The sets whose files take longest come first, so that nothing long is left over when the rest is done. */
export const SETS: Readonly<Record<string, TestSet>> = {
  release: {
    files: ["test/release/*.test.ts"],
    rooms: ["pack/", "Dockerfile", ".dockerignore", "compose.yaml", "src/cli/", "src/main.ts", "src/node-version.mjs"],
  },
  guides: {
    files: ["test/guides/*.test.ts", "test/examples/*.test.ts"],
    rooms: [
      "docs/",
      "examples/",
      "README.md",
      "CHANGELOG.md",
      "CONTRIBUTING.md",
      "SECURITY.md",
      "src/cli/",
      "sdk/",
      "mcp/",
    ],
  },
  pages: {
    files: ["test/browser/*.test.ts", "web/**/*.test.ts"],
    together: 4,
    before: "test/browser/support/browser.ts",
    rooms: words(
      "web/ gallery/ form/ endings/ languages/ json-schema/ vendor/ openapi.json examples/embed-host/ mcp/ src/mcp-route/ src/dashboard/ src/embed/ src/drawing/ src/people/ src/projects/ src/security/",
      "src/operations/ src/audit/ src/calendars/ src/escalation/ src/templates/ src/channels/ src/agents/ src/tasks/ src/views/ src/verifier/ src/http/",
      "src/notifications/",
    ),
  },
  frameworks: {
    files: ["test/frameworks/*.test.ts"],
    rooms: words(
      "docs/frameworks/ adapters/ sdk/ web/ form/ endings/ languages/ json-schema/ vendor/ src/actions/ src/agents/ src/callbacks/ src/channels/",
      "src/dashboard/ src/deliveries/ src/drawing/ src/outbound/ src/people/ src/tasks/ test/browser/support/",
    ),
  },
  adapters: {
    files: ["adapters/*.test.ts"],
    rooms: ["adapters/", "sdk/", "docs/frameworks/", "src/callbacks/", "src/resume/", "src/outbound/"],
  },
  processes: {
    files: ["test/replicas/*.test.ts", "mcp/*.test.ts", "test/inspector/*.test.ts"],
    rooms: words(
      "src/tasks/ src/deliveries/ src/db/ src/callbacks/ src/channels/ src/people/ src/projects/ src/security/ src/lib/ src/outbound/",
      "src/start.ts src/worker.ts src/discovery.ts src/agents/ src/connections/ src/resume/ src/embed/ sdk/ mcp/ endings/ web/app/",
    ),
  },
  service: {
    files: ["src/**/*.test.ts", "test/*.test.ts", "test/conformance/*.test.ts", "test/support/**/*.test.ts"],
    rooms: ["src/", "threads/", "form/", "endings/", "languages/", "json-schema/", "mcp/", "openapi.json"],
    together: 12,
  },
  client: {
    files: ["sdk/*.test.ts", "sdk/testing/*.test.ts"],
    // The testing entry has code of the service inside.
    rooms: words(
      "sdk/ mcp/ openapi.json json-schema/ src/agents/ src/callbacks/ src/channels/ src/config/ src/deliveries/ src/http/ src/lib/",
      "src/outbound/ src/people/ src/projects/ src/tasks/ src/verifier/ src/errors.ts",
    ),
    together: 12,
  },
  forms: {
    files: [
      "form/**/*.test.ts",
      "json-schema/**/*.test.ts",
      "threads/*.test.ts",
      "endings/*.test.ts",
      "languages/*.test.ts",
    ],
    rooms: ["form/", "json-schema/", "threads/", "endings/", "languages/"],
    together: 12,
  },
  words: {
    files: ["test/words/*.test.ts", "test/languages/*.test.ts"],
    rooms: words(
      "docs/ examples/ README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md test/conformance/README.md",
      "src/ web/ form/ endings/ languages/ json-schema/ sdk/ mcp/ adapters/",
    ),
  },
};

/** The proofs (`npm run prove`) that a change of what writes has to pass too. */
export const PROOFS = words(
  "src/tasks/ src/conversation/ src/approvals/ src/escalation/ src/calendars/",
  "src/deliveries/ src/db/ src/lib/ src/outbound/ src/callbacks/ src/http/ src/drawing/ threads/ json-schema/ form/ prove/",
);

/** What every set rests on. */
export const FOUNDATIONS = words(
  "package.json package-lock.json tsconfig.json .npmrc .ci/ runtime/ tools/ test/run.ts test/sets.ts test/support/",
);

/** What no test runs: of it, the checks before them (format, types, unused code) say all there is to say. */
export const ONLY_CHECKED = words("bench/ LICENSE NOTICE .gitignore .nvmrc .oxfmtrc.json .oxlintrc.json knip.json");

function words(...lines: string[]): string[] {
  return lines.flatMap((line) => line.split(" "));
}

/** @returns the set of a test file, or null */
export function setOf(file: string): string | null {
  return Object.keys(SETS).find((name) => SETS[name]!.files.some((glob) => matchesGlob(file, glob))) ?? null;
}

/** What is to be run after these files have changed: everything after a change of what nobody has thought of. */
export function touchedBy(changed: readonly string[]): { sets: string[]; proofs: boolean } {
  const found = changed.map(reachOf);
  if (found.includes("everything") || found.includes("unknown")) return { sets: Object.keys(SETS), proofs: true };
  const reached = found.filter((one) => typeof one === "object");
  const sets = new Set(reached.flatMap((one) => one.sets));
  return { sets: Object.keys(SETS).filter((name) => sets.has(name)), proofs: reached.some((one) => one.proofs) };
}

/** @param file - as git names it */
export function reachOf(file: string): { sets: string[]; proofs: boolean } | "everything" | "unknown" {
  if (file.endsWith(".test.ts")) {
    const own = setOf(file);
    return own === null ? "unknown" : { sets: [own], proofs: false };
  }
  if (isIn(FOUNDATIONS, file)) return "everything";
  const sets = Object.keys(SETS).filter((name) => {
    const { files, rooms } = SETS[name]!;
    // What lies beside test files, and is used by them.
    return (
      isIn(rooms, file) ||
      files.some((glob) => glob.startsWith("test/") && dirname(glob) !== "test" && file.startsWith(`${dirname(glob)}/`))
    );
  });
  const proofs = isIn(PROOFS, file);
  return sets.length > 0 || proofs || isIn(ONLY_CHECKED, file) ? { sets, proofs } : "unknown";
}

function isIn(rooms: readonly string[], file: string): boolean {
  return rooms.some((room) => (room.endsWith("/") ? file.startsWith(room) : file === room));
}
