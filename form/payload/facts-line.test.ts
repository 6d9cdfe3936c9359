import assert from "node:assert/strict";
import { test } from "node:test";
import { factsLine, FACTS_MAX } from "./facts-line.ts";

const line = (payload: unknown, hints: unknown = null, payload_schema: unknown = {}) =>
  factsLine({ payload, payload_schema, hints });

test("the line has the amount first, then names, choices and short texts", () => {
  const payload = {
    order: "A-17",
    risk: "high",
    customer: "Lucía Fernández",
    amount: 2637,
    currency: "EUR",
    paid: true,
  };
  const schema = { properties: { risk: { enum: ["high", "low"], enumNames: ["High", "Low"] } } };
  assert.equal(line(payload, null, schema), "€2,637.00 · Lucía Fernández · High · A-17");
  assert.equal(line({ invoice: { total_amount: "42.50", currency: "USD" }, customerName: "Mia" }), "US$42.50 · Mia");
  assert.equal(line({ price: 3 }, { price: { "ui:widget": "currency", "ui:options": { currency: "GBP" } } }), "£3.00");
});

test("what tells nothing in a line is left out", () => {
  assert.equal(
    line({ count: 3, ok: true, at: "2026-01-31", url: "https://example.com/x", note: "a\nb", list: ["x"] }),
    null,
  );
  assert.equal(line({ text: "x".repeat(61), none: null, empty: "" }), null);
  assert.equal(line([{ name: "Mia" }]), null);
  assert.equal(line({ deep: { deeper: { name: "Mia" } } }), null);
});

test("the hint ui:summary chooses the values and their order, also by pointer", () => {
  const payload = { customer: { name: "Mia", "a/b": 7 }, ok: true, on: "2026-01-31", amount: 5 };
  const summary = ["ok", "/customer/name", "missing", "/customer/a~1b", "on"];
  assert.equal(line(payload, { "ui:summary": summary }), "Yes · Mia · 7 · 31 Jan 2026");
});

test("hidden and masked values are never in the line, not even if the hint names them", () => {
  const payload = { name: "Mia", token: "s3cret", inner: { user: "Bo" } };
  const schema = { properties: { token: { type: "string", writeOnly: true } } };
  const hidden = { name: { "ui:widget": "hidden" }, inner: { "ui:widget": "hidden" } };
  assert.equal(line(payload, hidden, schema), null);
  assert.equal(line(payload, { ...hidden, "ui:summary": ["name", "token", "/inner/user"] }, schema), null);
});

test("the line is short and plain, whatever the payload is", () => {
  const long = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`name_${i}`, `${i}${"x".repeat(59)}`]));
  const cut = line(long, { "ui:summary": Object.keys(long) })!;
  assert.ok(cut.length <= FACTS_MAX && cut.endsWith("..."), cut);
  assert.equal(line({ name: "\u202EMia\u0000 Ek" }), "Mia Ek");
  assert.equal(line({ name: "Mia", again: "Mia" }), "Mia");
});

test("only the first fields of a large payload are read", () => {
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`n${i}`, i]));
  assert.equal(line({ ...many, name: "Mia" }), null);
  assert.equal(line({ ...many, name: "Mia" }, { "ui:summary": ["name"] }), "Mia");
});
