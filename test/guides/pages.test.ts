import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { SUITES } from "../../prove/suites.ts";
import { blocksOf } from "../support/guide.ts";

const ROOT = join(import.meta.dirname, "../..");
const PAGES = globSync(
  ["*.md", "docs/**/*.md", "{,adapters/}examples/**/*.md", "sdk/{,testing/}*.md", "{mcp,adapters}/*.md"],
  { cwd: ROOT },
).filter((page) => page !== "CHANGELOG.md" && !page.includes("node_modules"));
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

/** Pages with commands that no reader of these tests types, and why. */
const NOT_FOLLOWED: Readonly<Record<string, string>> = {
  "CONTRIBUTING.md": "they check and change the repository itself",
  "docs/benchmarks.md": "they take half an hour; the names of scenarios are looked at below",
  "sdk/README.md": "two settings, which every test of the client gives",
};
/** Ways to run a block that a test of its own runs. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  packages: "test/release/packages.test.ts",
  postgres: "test/guides/operating.test.ts",
};

/** Ways to run a block that no test has, and what a page that has such a block must say of it. */
const NOT_HERE: Readonly<Record<string, RegExp>> = {
  container: /No container engine is run by the tests/,
};

void test("every link of a page leads somewhere", () => {
  const broken: string[] = [];
  for (const page of PAGES) {
    const text = read(page).replaceAll(/^ *```[^]*?^ *```/gm, "");
    for (const [, target = ""] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^(https?:|#)/.test(target)) continue;
      const [path = "", anchor] = target.split("#");
      const file = normalize(join(dirname(page), path));
      if (!existsSync(join(ROOT, file))) broken.push(`${page}: ${target}`);
      else if (anchor !== undefined && !anchorsOf(read(file)).has(anchor)) broken.push(`${page}: ${target}`);
    }
  }
  assert.deepEqual(broken, []);
});

/** As GitHub makes them. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading!);
  const ids = [...text.matchAll(/<a id="([^"]+)"/g)].map(([, id]) => id!);
  return new Set([
    ...headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
    ...ids,
  ]);
}

void test("every command that a page says to type is typed by a test", () => {
  const tests = globSync(["test/guides/*.test.ts", "test/*.test.ts"], { cwd: ROOT }).map(read).join("\n");
  const untried: string[] = [];
  for (const page of PAGES)
    for (const { language, how, line } of blocksOf(page)) {
      if (language !== "sh") continue;
      const isTried =
        how === null || how === "background"
          ? tests.includes(`"${page}"`) || page in NOT_FOLLOWED
          : how in NOT_HERE
            ? NOT_HERE[how]!.test(read(page))
            : how in ELSEWHERE && existsSync(join(ROOT, ELSEWHERE[how]!));
      if (!isTried) untried.push(`${page}:${line}`);
    }
  assert.deepEqual(untried, []);
});

void test("where a page reads the admin token, it gets the current one, also during a rotation", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "token-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const dataDir = join(folder, "data");
  mkdirSync(dataDir);
  const adminToken = "sat_current";
  // As `rotate-keys` leaves it.
  const secrets = { adminToken, secretKey: "a", payloadKey: "b", previous: { adminToken: "sat_previous" } };
  writeFileSync(join(dataDir, "secrets.json"), `${JSON.stringify(secrets, null, 2)}\n`);
  const pages: string[] = [];
  for (const page of PAGES)
    for (const [, command] of read(page).matchAll(/^ *(?:export )?\w*TOKEN=(\$\(.*secrets\.json.*\))$/gm)) {
      const env = { PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`, SERVICE_DATA_DIR: dataDir };
      const found = execFileSync("bash", ["-c", `echo "${command}"`], { cwd: folder, env, encoding: "utf8" });
      assert.equal(found, `${adminToken}\n`, `${page}: ${command}`);
      pages.push(page);
    }
  assert.ok(pages.length >= 4, pages.join(", "));
});

void test("where a page names tests, proofs and benches, they are there", () => {
  const files = globSync(["{src,threads,json-schema,form,web,sdk,mcp,test}/**/*.test.ts", "adapters/*.test.ts"], {
    cwd: ROOT,
  });
  const suites = new Set<string>(SUITES.map(({ name }) => name));
  const missing: string[] = [];
  for (const page of PAGES)
    for (const [, script = "", names = ""] of read(page).matchAll(/npm (?:run )?(test|prove|bench) -- ([\w ./-]+)/g))
      // Options, and what they take.
      for (const name of names.split(" ").filter((one) => /^[a-z]/.test(one) && !one.includes("."))) {
        const isThere =
          script === "test"
            ? files.some((file) => file.includes(name))
            : script === "bench"
              ? existsSync(join(ROOT, `bench/scenarios/${name}.ts`))
              : suites.has(name);
        if (!isThere) missing.push(`${page}: npm ${script} -- ${name}`);
      }
  assert.deepEqual(missing, []);
});

void test("pages of frameworks install everything that their programs import, in releases that the adapters take", () => {
  const { peerDependencies } = JSON.parse(read("adapters/package.json")) as {
    peerDependencies: Record<string, string>;
  };
  for (const page of globSync("docs/frameworks/*.md", { cwd: ROOT })) {
    const text = read(page);
    const [, command = ""] = /`npm install ([^`]+)`/.exec(text) ?? [];
    const installed = command.split(" ").flatMap((name) => {
      const [, scope = "", list] = /^(.*)\{(.*)\}$/.exec(name) ?? [];
      return list === undefined ? [name] : list.split(",").map((one) => scope + one);
    });
    const programs = [...text.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, program]) => program!).join("\n");
    const imported = Array.from(programs.matchAll(/ from "((?:@[\w-]+\/)?[\w-]+)[^"]*"/g), ([, name]) => name!);
    // Node's own, and files of the page.
    const missing = imported.filter((name) => name !== "node" && !installed.includes(name));
    assert.deepEqual(missing, [], page);
    for (const name of installed.filter((one) => one in peerDependencies && !one.startsWith("@human-task-service")))
      assert.ok(text.includes(` ${/\d+(\.[1-9]\d*)?/.exec(peerDependencies[name]!)![0]}`), `${page}: ${name}`);
    // Not everyone has a clone, and today's npm makes folders whose programs are CommonJS.
    assert.match(text, /npx human-task-service webhook-key/, page);
    assert.match(text, /npm pkg set type=module/, page);
  }
});
