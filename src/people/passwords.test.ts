import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ServiceError } from "../errors.ts";
import { requireGoodPassword } from "./passwords.ts";

const LIST = new URL("../../vendor/common-passwords/passwords.txt", import.meta.url);

function isAccepted(password: string): boolean {
  try {
    requireGoodPassword(password, "/password", null);
    return true;
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.code === "VALIDATION_FAILED");
    return false;
  }
}

void test("the most common passwords are rejected, in whatever case", () => {
  const common = readFileSync(LIST, "utf8").trimEnd().split("\n");
  assert.ok(common.length >= 3000, `${common.length} passwords`);
  for (const known of ["password", "jennifer", "steelers", "cocacola", "1q2w3e4r5t", "michelle", "whatever"])
    assert.ok(common.includes(known), known);
  const accepted = common.flatMap((one) => [one, one.toUpperCase()]).filter(isAccepted);
  assert.deepEqual(accepted, []);
});

void test("a password of several words is accepted", () => {
  for (const password of ["correct horse battery staple", "a sentence that is long enough", "Tr0ubador&3 was hard"])
    assert.equal(isAccepted(password), true, password);
});
