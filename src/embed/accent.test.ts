import assert from "node:assert/strict";
import { test } from "node:test";
import { accentStyle } from "./accent.ts";

void test("an accent is kept in the themes in which it can be read, and nowhere else", () => {
  const green = ":root{--accent:light-dark(#0a6640,#9c97ff);--accent-soft:light-dark(#ebf3f0,#262450)}";
  for (const text of ["0a6640", "#0a6640", "#0A6640"]) assert.equal(accentStyle(text), green);
  assert.equal(
    accentStyle("fc6"),
    ":root{--accent:light-dark(#4c45d6,#ffcc66);--accent-soft:light-dark(#eeedfc,#2d2d2f)}",
  );
  // 4.48:1 on white, and too dark on dark.
  for (const text of ["777777", "#888"])
    assert.doesNotMatch(accentStyle(text), /accent:light-dark\(#(777777|888888)/, text);
});

void test("what is no colour sets nothing, and can end no style sheet", () => {
  for (const text of [
    undefined,
    null,
    "",
    "#",
    "green",
    "12345",
    "#1234567",
    "#0a6640;}",
    "0a6640</style>",
    ["0a6640"],
    "url(x)",
  ])
    assert.equal(accentStyle(text), "");
});
