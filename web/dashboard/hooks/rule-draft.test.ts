import assert from "node:assert/strict";
import { test } from "node:test";
import { FieldError } from "../settings/field-error.ts";
import type { Rule } from "./queries.ts";
import { draftOf, newCondition, ruleOf, type ConditionDraft } from "./rule-draft.ts";

const withArguments = (all: Rule["arguments"]): Rule => ({
  tool: "Bash",
  arguments: all,
  decision: "allow",
  simulate: true,
});

void test("a rule that is edited and not changed stays the same", () => {
  for (const all of [
    {},
    { "/command": { equals: "npm test" } },
    {
      "/command": { one_of: ["npm test", "5", 5, "", " x ", "a\nb", true, null, "null", '"quoted"', "{", { a: [1] }] },
    },
    { "/command": { glob: "git *", matches: "^a\\s+" }, "/timeout": { over: 1.5, under: 1e21 } },
    { "/command": { glob: " two\nlines " } },
    { "/edits/0/path": { equals: "-" }, "/a~1b": { equals: 0 }, "//": { equals: [] }, "/ a ": { equals: {} } },
    { "": { equals: { command: "ls" } } },
    { "/": { equals: "the empty name" } },
  ])
    assert.deepEqual(ruleOf(draftOf(withArguments(all)), ""), withArguments(all));
});

void test("entries are read as a person means them", () => {
  const read = (fields: Partial<ConditionDraft>) =>
    ruleOf({ tool: " Bash ", decision: "deny", simulate: false, conditions: [{ ...newCondition(), ...fields }] }, "");
  for (const [fields, wanted] of [
    [{ argument: " command ", value: " npm test " }, { "/command": { equals: "npm test" } }],
    [{ argument: "/command", value: '" npm"' }, { "/command": { equals: " npm" } }],
    [{ argument: "n", value: "5" }, { "/n": { equals: 5 } }],
    [{ argument: "n", value: '"5"' }, { "/n": { equals: "5" } }],
    [{ argument: "n", value: "1e999" }, { "/n": { equals: "1e999" } }],
    [{ argument: "n", kind: "one_of", value: "a\n\n b\n7\n" }, { "/n": { one_of: ["a", "b", 7] } }],
    [{ argument: "n", kind: "glob", value: "a " }, { "/n": { glob: "a " } }],
    [{ argument: "n", kind: "over", value: " 1,5 " }, { "/n": { over: 1.5 } }],
  ] as const) {
    const { tool, arguments: all } = read(fields);
    assert.deepEqual([tool, all], ["Bash", wanted]);
  }
});

void test("what is missing or cannot be meant is an error of its field", () => {
  const errorOf = (tool: string, ...conditions: Partial<ConditionDraft>[]): string => {
    const drafts = conditions.map((fields) => ({ ...newCondition(), argument: "n", value: "1", ...fields }));
    try {
      ruleOf({ tool, decision: "ask", simulate: false, conditions: drafts }, "/rules/1");
    } catch (error) {
      assert.ok(error instanceof FieldError);
      return `${error.field} ${error.message}`;
    }
    return "none";
  };
  for (const [found, wanted] of [
    [errorOf(" "), "/rules/1/tool Enter the name of a tool, or * for any tool."],
    [errorOf("T", { argument: " " }), "/rules/1/arguments/ Enter the name of an argument, such as command."],
    [
      errorOf("T", { argument: "", value: "[1]" }),
      "/rules/1/arguments/ Enter the name of an argument, such as command.",
    ],
    [errorOf("T", { argument: "", value: '{"a":1}' }), "none"],
    [errorOf("T", { value: " " }), '/rules/1/arguments/~1n/equals Enter a value. Enter "" for an empty text.'],
    [errorOf("T", { kind: "one_of", value: "\n" }), "/rules/1/arguments/~1n/one_of Enter at least one value."],
    [errorOf("T", { kind: "glob", value: "" }), "/rules/1/arguments/~1n/glob Enter a text."],
    [errorOf("T", { kind: "under", value: "x" }), "/rules/1/arguments/~1n/under Enter a number."],
    [errorOf("T", { kind: "over", value: "" }), "/rules/1/arguments/~1n/over Enter a number."],
    [errorOf("T", {}, {}), "/rules/1/arguments/~1n Two conditions say the same about this argument."],
    [errorOf("T", { kind: "over" }, { kind: "under", argument: "/n" }), "none"],
  ] as const)
    assert.equal(found, wanted);
});
