import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { headerProblem, partProblem, under } from "./requests.ts";

void test("whatever a client names stays one part of the address", () => {
  const names = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom(".", "..", "%2e%2e", "../..", "a/b", "a?b", "#", "a\\b"),
  );
  fc.assert(
    fc.property(names, names, (one, other) => {
      if (partProblem(one) !== null || partProblem(other) !== null) {
        assert.throws(() => under("https://engine.example/base/", one, other), TypeError);
        return;
      }
      const { pathname, search, hash, origin } = new URL(under("https://engine.example/base/?a=b#c", one, other));
      assert.deepEqual([origin, search, hash], ["https://engine.example", "", ""]);
      assert.deepEqual(pathname.split("/").map(decodeURIComponent), ["", "base", one, other]);
    }),
  );
});

void test("names that would lead to another path are refused, with a reason", () => {
  for (const name of ["", ".", "..", "\ud800"]) assert.match(partProblem(name) ?? "", /^(It|").*\.$/);
});

void test("a secret that has no place in a header is refused", () => {
  assert.equal(headerProblem("tmprl_abc-123.x"), null);
  for (const secret of ["", "two words", "line\r\nX-Other: 1", "schlüssel"])
    assert.notEqual(headerProblem(secret), null);
});
