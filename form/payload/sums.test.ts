import assert from "node:assert/strict";
import { test } from "node:test";
import { planPayload } from "./payload.ts";
import type { PayloadInput } from "./payload.ts";

const NOW = new Date("2026-11-20T13:20:00Z");

/** Returns the sums of a list by its columns. */
function sums(rows: readonly unknown[], hints: Record<string, unknown> = {}, more: Partial<PayloadInput> = {}) {
  const input = { payload: { rows }, hints: { rows: { items: hints } }, is_paged: true, now: NOW, ...more };
  const [node] = planPayload(input).nodes;
  assert.equal(node?.kind, "table");
  return node?.kind === "table"
    ? Object.fromEntries(node.columns.flatMap(({ key, sum }) => (sum === undefined ? [] : [[key, sum]])))
    : {};
}

const MONEY = { "ui:widget": "currency", "ui:options": { currency: "EUR" } };

void test("money is added exactly, over all rows of the list", () => {
  assert.deepEqual(sums([{ price: 0.1 }, { price: 0.2 }, { price: null }, {}], { price: MONEY }), { price: "€0.30" });
  const many = Array.from({ length: 4_000 }, () => ({ amount: "19.99" }));
  assert.deepEqual(sums(many, { amount: MONEY }), { amount: "€79,960.00" });
});

void test("different currencies have no sum", () => {
  const money = { "ui:widget": "currency" };
  const of = (currency: string) => ({ amount: 5, currency });
  assert.deepEqual(sums([of("EUR"), of("EUR")], { amount: money }), { amount: "€10.00" });
  assert.deepEqual(sums([of("EUR"), of("USD")], { amount: money }), {});
  assert.deepEqual(sums([of("EUR"), of("USD")]), {});
});

void test("quantities have a sum, and identifiers, years, rates, averages and prices of one piece have none", () => {
  const row = {
    order_id: 7,
    year: 2026,
    qty: 2,
    hours: 1.5,
    tax_rate: 19,
    avg_cost: 3,
    unit_price: 4,
    price: 8,
  };
  assert.deepEqual(sums([row, row]), { qty: "4", hours: "3" });
});

void test("a column with anything else, or of one row, has no sum", () => {
  assert.deepEqual(sums([{ qty: 1 }, { qty: "a dozen" }]), {});
  assert.deepEqual(sums([{ qty: 1 }]), {});
  assert.deepEqual(sums([{ qty: 1 }, { qty: 1e300 }]), {});
  // Pages that show less than all rows say nothing about all rows.
  assert.deepEqual(sums([{ qty: 1 }, { qty: 2 }], {}, { is_paged: false }), {});
});
