import assert from "node:assert/strict";
import { test } from "node:test";
import { isQuestion, mentionedIn, plainOf } from "./plain.ts";

const names = new Map([["U0DANA", "dana"]]);

void test("what Slack marks up is read as people see it", () => {
  const cases: [string, string][] = [
    ["5 &lt; 6 &amp;&amp; 7 &gt; 6", "5 < 6 && 7 > 6"],
    // What a person typed is not decoded twice.
    ["&amp;lt;b&amp;gt;", "&lt;b&gt;"],
    ["<@U0DANA>, ask <@U0LEE|lee> or <@U0X>", "@dana, ask @lee or @U0X"],
    ["see <#C0AB|refunds> and <#C0CD>", "see #refunds and #C0CD"],
    ["<!here> <!subteam^S01|@finance> <!date^1769860800^{date}|31 January>", "@here @finance 31 January"],
    ["<https://example.com/a?b=1&amp;c=2>", "https://example.com/a?b=1&c=2"],
    ["<https://example.com|the order>", "the order (https://example.com)"],
    ["<http://example.com|example.com>", "http://example.com"],
    ["<mailto:mia@example.com|mia@example.com>", "mia@example.com"],
    ["  *two*\n_lines_ \n", "*two*\n_lines_"],
    ["<>", ""],
  ];
  for (const [sent, plain] of cases) assert.equal(plainOf(sent, names), plain);
  assert.deepEqual(mentionedIn("<@U0DANA> <@U0LEE|lee> <@U0DANA> &lt;@U0X&gt;"), ["U0DANA", "U0LEE"]);
});

void test("a message that ends with a question mark asks", () => {
  for (const text of [
    "Which card?",
    "(really?)",
    "どのカード？",
    "أي بطاقة؟",
    "Why? 🤔",
    "Why? :thinking_face:",
    "*Why?*",
    "Is it so?!",
    "`a?`",
    "Ποια κάρτα\u037E",
  ])
    assert.equal(isQuestion(text), true, text);
  for (const text of ["Which card", "Why? Because.", "", "?no", "https://example.com/?a=1"])
    assert.equal(isQuestion(text), false, text);
});
