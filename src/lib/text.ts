/** Returns whether a database and a page can store `text` unchanged: no U+0000, no lone surrogate. */
export function isStorableText(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

/** Returns untrusted `text` in a form that can be stored: invalid characters are replaced, and long text is cut. */
export function toStorableText(text: string, max: number): string {
  return text.replaceAll("\0", "\u{fffd}").slice(0, max).toWellFormed();
}

/** Returns whether an address has the form of an email address: one `@`, no white space, at most 254 characters. */
export function isEmailAddress(text: string): boolean {
  return text.length <= 254 && /^[^\s@<>",;:]+@[^\s@<>",;:]+$/.test(text) && isStorableText(text);
}

/** Returns an address in the form for comparisons, which ignores case. */
export function emailKey(address: string): string {
  return address.toLowerCase();
}

/** Returns whether a text can name a calendar or a template: 1 to 64 of `a-z`, `0-9`, `-` and `_`. */
export function isPlainName(text: string): boolean {
  return /^[a-z0-9_-]{1,64}$/.test(text);
}
