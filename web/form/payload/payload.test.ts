import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { PAYLOAD_FIXTURES } from "../../../form/fixtures/payloads.ts";
import { buildRenderer } from "../../build.ts";
import type * as renderer from "./fixtures/render.tsx";

type Render = (name: string) => string;

let folder: string;
let rendered: typeof renderer;

before(async () => {
  // Vite uses this variable to tell other tools its mode.
  const environment = process.env["NODE_ENV"];
  folder = mkdtempSync(join(tmpdir(), "payload-"));
  await buildRenderer(join(import.meta.dirname, "fixtures/render.tsx"), folder);
  rendered = (await import(pathToFileURL(join(folder, "render.js")).href)) as typeof renderer;
  if (environment === undefined) delete process.env["NODE_ENV"];
  else process.env["NODE_ENV"] = environment;
});
after(() => rmSync(folder, { recursive: true }));

const page: Render = (name) => rendered.renderFixture(name);

/** Returns the HTML of one field of a fixture, from its title to the next. */
function field(name: string, title: string): string {
  const html = page(name);
  const start = html.indexOf(`>${title}</dt>`);
  assert.ok(start >= 0, `no ${title} in ${name}`);
  const end = html.indexOf("<dt", start);
  return html.slice(start, end < 0 ? undefined : end);
}

/**
 * Returns every element with its attributes. Text contains no elements, because each "<" of a text is written as
 * "&lt;".
 */
function tagsOf(html: string): { name: string; attributes: ReadonlyMap<string, string> }[] {
  return [...html.matchAll(/<([a-zA-Z][\w-]*)((?:\s+[^\s"'<>/=]+(?:="[^"]*")?)*)\s*\/?>/g)].map(
    ([, name = "", attributes = ""]) => ({
      name: name.toLowerCase(),
      attributes: new Map(
        [...attributes.matchAll(/([^\s"'<>/=]+)(?:="([^"]*)")?/g)].map(([, key = "", value = ""]) => [
          key.toLowerCase(),
          value,
        ]),
      ),
    }),
  );
}

const ELEMENTS = new Set(
  "a blockquote br code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr img ins li main ol p path pre s section span strong summary sup svg table tbody td th thead time tr ul".split(
    " ",
  ),
);
const ATTRIBUTES = new Set(
  "alt aria-hidden aria-label class colspan d datetime dir href loading referrerpolicy rel role scope src start tabindex target title viewbox".split(
    " ",
  ),
);

void test("of whatever was sent, a page has only elements and attributes of its own, and addresses that are safe", () => {
  for (const name of Object.keys(PAYLOAD_FIXTURES)) {
    for (const { name: element, attributes } of tagsOf(page(name))) {
      assert.ok(ELEMENTS.has(element), `${element} in ${name}`);
      for (const [key, value] of attributes) {
        assert.ok(ATTRIBUTES.has(key), `${element} ${key}="${value}" in ${name}`);
        if (key === "href") assert.match(value, /^(?:https?:\/\/|mailto:|tel:|\/tasks\/tsk_1$)/, name);
        // An image of another host is not asked for: its owner would learn who opens the page.
        if (key === "src") assert.match(value, /^data:image\/(?:png|jpe?g|gif|webp);base64,/, name);
      }
      if (attributes.get("href")?.startsWith("http"))
        assert.deepEqual(
          [attributes.get("target"), attributes.get("rel")],
          ["_blank", "noopener noreferrer nofollow"],
          name,
        );
    }
  }
});

void test("a script in a payload is shown, not run", () => {
  const html = page("hostile");
  assert.ok(html.includes("&lt;script>alert(&quot;x&quot;)&lt;/script>"));
  assert.ok(html.includes("&lt;h1>Hello&lt;/h1>"));
  assert.ok(!/<script|<img/.test(html));
});

void test("raw HTML in Markdown is shown as it is written", () => {
  const html = rendered.renderMarkdown("<script>alert(1)</script>\n\nSome <b>bold</b> words");
  assert.ok(html.includes("&lt;script>alert(1)&lt;/script>"));
  assert.ok(html.includes("&lt;b>"));
});

void test("Markdown is set, and can be read as it was written", () => {
  const html = page("markdown");
  for (const part of ["<strong>courier</strong>", "<s>three</s>", "<blockquote", "<code>code</code>", '<ol start="1">'])
    assert.ok(html.includes(part), part);
  assert.ok(html.includes('<th scope="col" class="payload-right">Weight</th>'));
  assert.ok(html.includes(">Raw<"));
  assert.ok(html.includes("The **courier** lost *two* parcels"));
});

void test("no picture in Markdown loads by itself: it is a link to the picture that names its host", () => {
  const html = page("markdown");
  assert.ok(!html.includes("<img"));
  assert.ok(html.includes(">Load image from images.example.net</a>"));
});

void test("a link in Markdown that may not be followed is text, and one that pretends says where it leads", () => {
  const html = page("markdown");
  assert.ok(html.includes("run me (javascript:alert(1))"));
  assert.match(html, />paypal\.com<\/a><span class="payload-muted"> \(paypal\.com\.evil\.example\)/);
  assert.match(html, />https:\/\/paypal\.com<\/a><span class="payload-muted"> \(evil\.example\)/);
  assert.match(html, /href="https:\/\/example\.com\/reference"/);
});

void test("Markdown that is made to take long, or to nest deeply, is shown as text", () => {
  const hard = {
    quotes: "> ".repeat(5_000),
    emphasis: "*a_".repeat(10_000),
    brackets: "[a](".repeat(10_000),
    strikes: "~~a".repeat(10_000),
    long: "**word** ".repeat(60_000),
  };
  for (const [name, text] of Object.entries(hard)) {
    const html = rendered.renderMarkdown(text);
    assert.ok(html.includes('class="payload-text"'), name);
    assert.ok(!/<blockquote|<em|<strong/.test(html), name);
  }
  const nested = Array.from({ length: 100 }, (_, i) => `${"  ".repeat(i)}- item ${i}`).join("\n");
  const html = rendered.renderMarkdown(nested);
  assert.ok(html.includes("item 99"));
  assert.ok((html.match(/<ul/g) ?? []).length <= 16);
});

void test("of a long Markdown text the beginning is set, and the rest is there as text", () => {
  const html = rendered.renderMarkdown(`**first**\n\n${"Some words.\n\n".repeat(4_000)}**last**`);
  assert.ok(html.includes("<strong>first</strong>"));
  assert.ok(html.includes("**last**"));
});

void test("a page for the server alone shows Markdown and changes as text until their modules are there", () => {
  const html = rendered.renderFixtureWithoutParts("markdown");
  assert.ok(html.includes("The **courier** lost *two* parcels"));
  const sides = rendered.renderFixtureWithoutParts("diff-text");
  assert.match(sides, />Before<\/p>.*no questions asked.*>After<\/p>.*after we receive it/s);
});

void test("a change of a text is shown word by word, one of a value as before and after", () => {
  const text = field("diff-text", "Text");
  assert.ok(text.includes("<del>two</del><ins>ten</ins>"));
  assert.match(text, /<del>, no questions asked<\/del><ins> after we receive it<\/ins>/);
  const price = field("diff-text", "Price");
  assert.match(price, /<del><span[^>]*>49<\/span><\/del>.*→.*<ins><span[^>]*>39\.5<\/span><\/ins>/s);
});

void test("of a long text, what is far from every change is folded, and no change is", () => {
  const line = "All of this stays as it was, word for word.\n";
  const [start, end] = ["Dear Ms. Lindqvist,\n", line.repeat(20)];
  const html = rendered.renderTextDiff(`${start}${end}within 3 days\n${end}`, `${start}${end}within 5 days\n${end}`);
  assert.match(html, /within <\/span><del>3<\/del><ins>5<\/ins><span> days/);
  assert.deepEqual(
    Array.from(html.matchAll(/<summary>(.*?)<\/summary>/g), ([, said]) => said),
    ["18 lines unchanged", "17 lines unchanged"],
  );
  // What is folded is there, to be opened.
  assert.equal(html.match(/All of this/g)!.length, 40);
  assert.match(rendered.renderTextDiff("a", "b"), /<del>a<\/del><ins>b<\/ins>/);
});

void test("texts that have little in common are shown one beside the other", () => {
  const words = (start: string) => Array.from({ length: 3_000 }, (_, i) => `${start}${i}`).join(" ");
  assert.equal(rendered.renderTextDiff(words("a"), words("b")), "<i>otherwise</i>");
  assert.equal(rendered.renderTextDiff("a".repeat(40_000), "b".repeat(40_000)), "<i>otherwise</i>");
});

void test("objects that changed list what was added, changed and removed", () => {
  const html = page("diff-object");
  for (const part of ["Added", "Changed", "Removed", "Address › Street", "6 fields are the same."])
    assert.ok(html.includes(part), part);
});

void test("a long text folds after 12 lines, a short one does not", () => {
  assert.ok(field("long-text", "Lines").includes("Show all"));
  assert.ok(!field("unicode", "Arabic").includes("Show all"));
});

void test("a table shows 50 rows, and 50 more as often as asked for", () => {
  const html = page("many-rows");
  assert.equal((html.match(/<tr/g) ?? []).length, 1 + 200 + 3);
  assert.equal((html.match(/Show 50 more/g) ?? []).length, 3);
  assert.ok(html.includes("Hide rows 51 to 100"));
});

void test("a masked value is behind Reveal", () => {
  const html = field("masked", "Password");
  assert.match(html, /<details class="payload-masked"><summary>.*Reveal.*<\/summary>.*correct horse/s);
});

void test("a redacted payload says so, and is shown", () => {
  assert.ok(page("redacted").includes("Confidential. Shown only here, never by email or in Slack."));
  assert.ok(page("redacted").includes("€1,240.00"));
  assert.ok(!page("refund").includes("Confidential"));
});

void test("an empty payload, an empty value and a missing one each say so in their way", () => {
  assert.ok(page("empty").includes("Nothing to review"));
  assert.match(field("scalars", "Comment"), /–<\/span><span class="payload-spoken">Empty</);
  assert.ok(page("wide-table").includes("<td></td>"));
});

void test("times carry the time in UTC, numbers the number that was sent", () => {
  assert.ok(page("dates").includes('<time datetime="2026-11-12T13:20:00Z" title="2026-11-12 13:20:00 UTC">'));
  assert.ok(field("scalars", "Share").includes('title="0.71">71%'));
});

void test("characters that cannot be seen, or that turn a text around, are marked", () => {
  assert.match(field("unicode", "File"), /invoice-<span class="payload-unseen"[^>]*>U\+202E<\/span>fdp\.exe/);
  assert.match(field("unicode", "Account"), /U\+2067<\/span>DE02<span[^>]*>U\+2069</);
  assert.match(field("unicode", "Hidden"), /U\+200B<\/span>pal<span[^>]*>U\+0007</);
  assert.ok(field("unicode", "Emoji").includes("👩‍👩‍👧‍👦 🇩🇪 ✅"));
});

void test("texts of strangers take their own direction", () => {
  assert.match(field("unicode", "Hebrew"), /<span class="payload-text" dir="auto">/);
});

void test("a page that cannot show all of a payload says so after it, where the form is, and leads to one that can", () => {
  const html = page("large");
  assert.ok(html.includes("3000 entries, not shown here"));
  const end = html.slice(html.lastIndexOf("</dl>"));
  assert.match(end, /Part of this payload is not shown here\..*<a href="\/tasks\/tsk_1"[^>]*>.*before you answer/);
  assert.ok(!page("refund").includes("Part of this payload"));
});
