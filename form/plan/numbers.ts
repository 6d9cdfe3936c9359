import type { Problem } from "./nodes.ts";

/**
 * Reads a number as people write it: "12.5", "12,5", "1 234,5", "1,234.50". One comma before exactly three digits could
 * be either, and is refused instead of guessed.
 *
 * @returns the number in JSON's spelling, all digits kept
 */
export function readNumber(text: string): { readonly text: string } | Problem {
  const bare = text
    .trim()
    .replaceAll(/(?<=\d)[\s\u00A0\u202F'_](?=\d{3})/g, "")
    .replace(/^\u2212/, "-");
  const signed = /^([+-]?)([\d.,]*\d[\d.,]*)$/.exec(bare);
  const scientific = /^[+-]?\d+(?:\.\d+)?[eE][+-]?\d{1,3}$/.test(bare);
  if (scientific) return { text: bare.replace(/^\+/, "") };
  const [, sign = "", digits = ""] = signed ?? [];
  if (signed === null) return { code: "not_a_number" };

  const dots = digits.split(".").length - 1;
  const commas = digits.split(",").length - 1;
  let plain = digits;
  if (dots > 0 && commas > 0) {
    const decimal = digits.lastIndexOf(".") > digits.lastIndexOf(",") ? "." : ",";
    const thousands = decimal === "." ? "," : ".";
    if (!new RegExp(`^\\d{1,3}(?:\\${thousands}\\d{3})+\\${decimal}\\d*$`).test(digits))
      return { code: "not_a_number" };
    plain = digits.replaceAll(thousands, "").replace(decimal, ".");
  } else if (dots > 1 || commas > 1) {
    const separator = dots > 1 ? "." : ",";
    if (!new RegExp(`^\\d{1,3}(?:\\${separator}\\d{3})+$`).test(digits)) return { code: "not_a_number" };
    plain = digits.replaceAll(separator, "");
  } else if (commas === 1) {
    if (/^[1-9]\d{0,2},\d{3}$/.test(digits)) return { code: "thousands" };
    plain = digits.replace(",", ".");
  }
  // JSON writes neither ".5" nor "5." nor "007".
  const [whole = "", fraction = ""] = plain.split(".");
  const kept = whole.replace(/^0+(?=\d)/, "") || "0";
  return { text: `${sign === "-" ? "-" : ""}${kept}${fraction === "" ? "" : `.${fraction}`}` };
}
