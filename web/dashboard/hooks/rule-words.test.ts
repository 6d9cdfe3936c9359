import assert from "node:assert/strict";
import { test } from "node:test";
import type { Rule } from "./queries.ts";
import { argumentLines, sayRule } from "./rule-words.ts";

void test("a rule is a sentence", () => {
  const rule = (fields: Partial<Rule>): Rule => ({
    tool: "Bash",
    arguments: {},
    decision: "ask",
    simulate: false,
    ...fields,
  });
  for (const [fields, says] of [
    [{ tool: "*" }, "Ask a person about any tool"],
    [{ decision: "deny", tool: "mcp__*__delete_*" }, "Deny mcp__*__delete_*"],
    [
      { decision: "allow", arguments: { "/command": { one_of: ["npm test", "npm run lint"] } } },
      "Allow Bash if command is “npm test” or “npm run lint”",
    ],
    [
      { arguments: { "/command": { one_of: [1, 2, 3, 4, 5, 6, 7] } } },
      "Ask a person about Bash if command is 1, 2, 3, 4, 5, or 2 more",
    ],
    [
      { arguments: { "/command": { glob: "git *" }, "/timeout": { over: 10, under: 100 } } },
      "Ask a person about Bash if command fits “git *”, and timeout is more than 10 and is less than 100",
    ],
    [
      { arguments: { "/edits/0/path": { matches: "^/etc/" }, "": { equals: { a: null } } } },
      'Ask a person about Bash if edits/0/path matches the regular expression “^/etc/”, and all arguments is {"a":null}',
    ],
    [
      { tool: "Ba\u{202e}sh", arguments: { "/c": { equals: "a\nb\u{200b}" } } },
      'Ask a person about Ba\\u{202e}sh if c is "a\\nb\\u{200b}"',
    ],
  ] as const)
    assert.equal(sayRule(rule(fields)), says);
});

void test("arguments are lines in which each character can be seen", () => {
  assert.deepEqual(
    argumentLines({
      arguments: { command: "npm test", n: 5, list: ["a"], odd: "git log\nrm -rf /", "k\u{200b}": null },
    }),
    ["command: npm test", "n: 5", 'list: ["a"]', 'odd: "git log\\nrm -rf /"', "k\\u{200b}: null"],
  );
});
