import { t } from "../languages/text.ts";

const ABBREVIATIONS = /\b(api|cpu|html|iban|id|ip|json|pdf|pep|pin|sku|spo2|url|vat)(s?)\b/gi;

/** `customer_name`, `customerName`, `customer-name` -> "Customer name", `image_url` -> "Image URL". Words with capitals stay. */
export function titleOf(key: string): string {
  const words = key
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .replaceAll(/[\s_-]+/g, " ")
    .trim()
    .split(" ")
    .map((word, index) => (index > 0 && /^\p{Lu}\p{Ll}+$/u.test(word) ? word.toLowerCase() : word))
    .join(" ")
    .replaceAll(ABBREVIATIONS, (_, name: string, plural: string) => name.toUpperCase() + plural)
    .replace("SPO2", "SpO2");
  return words === "" ? key.trim() || t("(no name)") : capitalized(words);
}

/** "line item" -> "Line item" */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** "Line items" -> "line items", for use within a sentence. Abbreviations stay: "VAT rate". */
export function inSentence(title: string): string {
  return /^\p{Lu}\p{Ll}+(?![\p{Lu}\p{Ll}])/u.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title;
}

/** Returns the label of an option without a title. Identifiers become words, and other values stay unchanged. */
export function labelOf(value: unknown): string {
  if (value === true) return t("Yes");
  if (value === false) return t("No");
  if (value === null) return t("None");
  if (typeof value !== "string") return typeof value === "number" ? String(value) : JSON.stringify(value);
  return /^[a-z]+(?:[_-][a-z0-9]+)*$/.test(value) ? titleOf(value) : value === "" ? "(empty)" : value;
}
