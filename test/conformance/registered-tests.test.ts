import assert from "node:assert/strict";
import { test } from "node:test";
import { registeredTests } from "./registered-tests.ts";

const IMPORT = `import { describe, suite, it, test } from "node:test";\n`;

/** The titles of the tests that always run, and with a minus before them those that may be skipped. */
function titles(source: string, others: Record<string, string> = {}): string[] {
  const read = (file: string) => others[file] ?? assert.fail(`${file} is not read here`);
  const tests = registeredTests("src/tasks/a.test.ts", source, read);
  return tests.map(({ title, alwaysRuns }) => (alwaysRuns ? title : `- ${title}`));
}

void test("the titles of test and it are found, also under another name; a template literal stays as it is written", () => {
  const source = `import { it, test as check } from "node:test";
    void check("one", async () => {});
    it('two "quoted"', (t: TestContext) => {});
    await check(\`a \${status} task\`, { timeout: 5 }, () => {});`;
  assert.deepEqual(titles(source), ["one", 'two "quoted"', "a ${status} task"]);
});

void test("a title in a comment, in a string, or given to a function of another kind is no test", () => {
  const source = `${IMPORT}
    // test("comment", () => {});
    /* test("long comment", () => {}); */
    const text = 'test("string", () => {});';
    const pattern = /a/;
    pattern.test("pattern");
    report("other function", () => {});
    console.log(\`test("template", () => {})\`);`;
  assert.deepEqual(titles(source), []);
  assert.deepEqual(titles(`import { test } from "./own.ts";\ntest("own", () => {});`), []);
});

void test("tests are found in groups, loops, blocks and forEach, twice when they stand there twice", () => {
  const source = `${IMPORT}
    describe("group", () => { suite("inner", function () { test("in a group", () => {}); }); });
    for (const each of all) test("in a loop", () => {});
    for (let i = 0; i < 2; i++) { test("in a block", () => {}); }
    all.forEach((each) => test("in forEach", () => {}));
    test("twice", () => {});
    test("twice", () => {});`;
  assert.deepEqual(titles(source), ["in a group", "in a loop", "in a block", "in forEach", "twice", "twice"]);
});

void test("a test that may never be registered is not found: in a condition, or in a function that is only declared", () => {
  const source = `${IMPORT}
    if (hasOpenssl) test("condition", () => {});
    hasOpenssl && test("short condition", () => {});
    function never() { test("declared", () => {}); }
    const neither = () => { test("assigned", () => {}); };
    later(() => test("given to another function", () => {}));`;
  assert.deepEqual(titles(source), []);
});

void test("test.skip and test.todo are no tests, alone and in a group", () => {
  const source = `${IMPORT}
    test.skip("skip", () => {});
    test.todo("todo");
    describe.skip("group", () => { test("in a skipped group", () => {}); });`;
  assert.deepEqual(titles(source), []);
});

void test("a test whose options say skip or todo may be skipped, also under a condition or by a constant", () => {
  const source = `${IMPORT}
    const withIPv6 = { skip: hasIPv6 ? false : "no IPv6" };
    test("skip", { skip: true }, () => {});
    test("todo", { todo: "later" }, () => {});
    test("condition", { skip: hasOpenssl ? false : "no openssl" }, () => {});
    test("constant", withIPv6, () => {});
    describe("group", { skip: "later" }, () => { test("in a group", () => {}); });
    test("never skipped", { skip: false, timeout: 5 }, () => {});`;
  assert.deepEqual(titles(source), ["- skip", "- todo", "- condition", "- constant", "- in a group", "never skipped"]);
});

void test("a test that calls skip or todo of its context may be skipped", () => {
  const source = `${IMPORT}
    test("skips", (t) => { if (!hasDocker) { t.skip("no docker"); return; } });
    test("is to be done", async (context) => { context.todo(); });
    test("skips something else", (t) => { list.skip(1); });`;
  assert.deepEqual(titles(source), ["- skips", "- is to be done", "skips something else"]);
});

void test("a function that passes its title on registers a test: of this file, imported, and over several files", () => {
  const both = `import { test } from "node:test";
    export function testOnBoth(name: string, run: () => Promise<void>): void {
      for (const dialect of ["sqlite", "postgres"]) void test(\`\${name} (\${dialect})\`, run);
    }`;
  const agent = `import { testOnBoth } from "./service.ts";
    export function testAgent(name: string): void { testOnBoth(name, async () => {}); }`;
  const source = `import { testAgent } from "../../test/support/agents.ts";
    import { testOnBoth as onBoth } from "../../test/support/service.ts";
    import { test } from "node:test";
    testAgent("agent");
    onBoth("both", async (service) => {});
    testLocal("local");
    function testLocal(name: string) { test(name, () => {}); }`;
  const files = { "test/support/service.ts": both, "test/support/agents.ts": agent };
  assert.deepEqual(titles(source, files), ["agent", "both", "local"]);
});

void test("a function that does not pass its title on, or skips, registers no test", () => {
  const source = `${IMPORT}
    import { testIdentity } from "./identities.ts";
    function testNothing(name: string) { console.log(name); }
    function testOther(name: string) { test("fixed", () => {}); }
    function testSkipped(name: string) { test(name, { skip: true }, () => {}); }
    testIdentity("identity");
    testNothing("nothing");
    testOther("other");
    testSkipped("skipped");`;
  const identities = `export async function testIdentity(id: string) { await send(id); }`;
  assert.deepEqual(titles(source, { "src/tasks/identities.ts": identities }), []);
});

void test("a file that is not TypeScript is refused", () => {
  assert.throws(() => titles(`${IMPORT} test("one", () => {`), /^Error: src\/tasks\/a\.test\.ts cannot be parsed: /);
});
