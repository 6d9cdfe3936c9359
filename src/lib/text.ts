/** Whether a database and a page can hold `text` as it is: no U+0000, no lone surrogate. */
export function isStorableText(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

/** `text` from a stranger, made so that it can be stored: what cannot is replaced, what is too long is cut. */
export function toStorableText(text: string, max: number): string {
  return text.replaceAll("\0", "\u{fffd}").slice(0, max).toWellFormed();
}

/** An address that mail could be sent to, as far as its form tells: one `@`, no white space, at most 254 characters. */
export function isEmailAddress(text: string): boolean {
  return text.length <= 254 && /^[^\s@<>",;:]+@[^\s@<>",;:]+$/.test(text) && isStorableText(text);
}

/** An address as addresses are compared: without regard to case. */
export function emailKey(address: string): string {
  return address.toLowerCase();
}
