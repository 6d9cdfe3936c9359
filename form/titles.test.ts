import assert from "node:assert/strict";
import { test } from "node:test";
import { inSentence, labelOf, titleOf } from "./titles.ts";

void test("the name of a field becomes words", () => {
  const titles: Record<string, string> = {
    customer_name: "Customer name",
    customerName: "Customer name",
    "customer-name": "Customer name",
    orderID: "Order ID",
    order2Items: "Order2 items",
    PONumber: "PONumber",
    "Due Date": "Due date",
    Name: "Name",
    SKU: "SKU",
    sku: "SKU",
    Sku: "SKU",
    image_url: "Image URL",
    imageUrl: "Image URL",
    htmlBody: "HTML body",
    order_ids: "Order IDs",
    spo2: "SpO2",
    cpu_load: "CPU load",
    is_pep: "Is PEP",
    idea: "Idea",
    größeÄndern: "Größe ändern",
    数: "数",
    _: "_",
    "": "(no name)",
  };
  for (const [key, title] of Object.entries(titles)) assert.equal(titleOf(key), title, key);
});

void test("an option without a title is called by its value, identifiers by their words", () => {
  const labels: [unknown, string][] = [
    [true, "Yes"],
    [false, "No"],
    [null, "None"],
    [1.5, "1.5"],
    [{ a: 1 }, '{"a":1}'],
    ["needs_changes", "Needs changes"],
    ["in-review2", "In review2"],
    ["USD", "USD"],
    ["iPhone", "iPhone"],
    ["two words", "two words"],
    ["", "(empty)"],
  ];
  for (const [value, label] of labels) assert.equal(labelOf(value), label);
});

void test("within a sentence a title begins small, and an abbreviation stays as it is", () => {
  const words = { "Line items": "line items", "VAT rate": "VAT rate", Größe: "größe", "Order2 items": "order2 items" };
  for (const [title, inside] of Object.entries({ ...words, SpO2: "SpO2" })) assert.equal(inSentence(title), inside);
});
