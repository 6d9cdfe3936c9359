import { DEFAULT_LANGUAGE, type Language } from "./languages.ts";

/*
 * Texts of the product in the language of their reader. The English text is the key, so sources stay readable, and a
 * text without a translation is shown in English. (test/languages holds that each has one.)
 */

/** By English text: its translation, or for `plural` its forms by the categories of `Intl.PluralRules`. */
export type Catalogue = Readonly<Record<string, string | PluralForms>>;

export type PluralForms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>;

/** What `{name}` in a text is replaced with. */
export type Values = Readonly<Record<string, string | number>>;

let language: Language = DEFAULT_LANGUAGE;
let catalogue: Catalogue = {};
let region: string = DEFAULT_LANGUAGE;

/**
 * Sets the language of all texts from now on. A page calls it once, before it draws anything. English needs no
 * catalogue. `inRegion` is the tag by which numbers and times are written, such as "de-CH".
 */
export function setLanguage(to: Language, texts: Catalogue = {}, inRegion: string = to): void {
  language = to;
  catalogue = texts;
  region = inRegion;
}

/** Runs `work` with its texts in a language. It must be synchronous: what runs after it has the language of before. */
export function inLanguage<T>(to: Language, texts: Catalogue | undefined, work: () => T): T {
  const before = [language, catalogue, region] as const;
  setLanguage(to, texts);
  try {
    return work();
  } finally {
    setLanguage(...before);
  }
}

export function currentLanguage(): Language {
  return language;
}

/** Returns the tag for `Intl`, by which the reader's numbers and times are written. */
export function locale(): string {
  return region;
}

/** Returns an English text in the current language, with `{name}` replaced by its value. */
export function t(text: string, values?: Values): string {
  const found = catalogue[text];
  return withValues(typeof found === "string" ? found : text, values);
}

/**
 * Returns the form of a text that fits `count`, such as `plural(n, "{n} task", "{n} tasks")`. `{n}` is the count, written
 * as people do. The key of the catalogue is the text for many.
 */
export function plural(count: number, one: string, many: string, values?: Values): string {
  const forms = catalogue[many];
  const category = new Intl.PluralRules(language).select(count);
  const found = typeof forms === "object" ? (forms[category] ?? forms.other) : undefined;
  return withValues(found ?? (count === 1 ? one : many), { n: count.toLocaleString(region), ...values });
}

/** Like `t`, for a word that other languages translate by its meaning: `as("verb", "Open")`. The key is "Open (verb)". */
export function as(meaning: string, text: string, values?: Values): string {
  const found = catalogue[`${text} (${meaning})`];
  return withValues(typeof found === "string" ? found : text, values);
}

/** Splits a text in the current language at `{name}`: texts are at even places, and names of values at odd ones. */
export function pieces(text: string): string[] {
  return t(text).split(/\{(\w+)\}/);
}

function withValues(text: string, values: Values | undefined): string {
  if (values === undefined) return text;
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
