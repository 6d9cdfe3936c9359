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

/** A language with its texts. English needs none. */
export interface Speech {
  language: Language;
  catalogue?: Catalogue | undefined;
  /** The tag by which numbers and times are written, such as "de-CH". Default: the language. */
  locale?: string | undefined;
}

let spoken: () => Speech = () => ({ language: DEFAULT_LANGUAGE });

/** Sets the language of all texts. A page has one; the service asks for that of the current request. */
export function setSpeech(speech: () => Speech): void {
  spoken = speech;
}

export function currentLanguage(): Language {
  return spoken().language;
}

/** Returns the tag for `Intl`, by which the reader's numbers and times are written. */
export function locale(): string {
  const { language, locale = language } = spoken();
  return locale;
}

/** Returns an English text in the current language, with `{name}` replaced by its value. */
export function t(text: string, values?: Values): string {
  return withValues(textFor(text, text), values);
}

/**
 * Returns the form of a text that fits `count`, such as `plural(n, "{n} task", "{n} tasks")`. `{n}` is the count, written
 * as people do. The key of the catalogue is the text for many.
 */
export function plural(count: number, one: string, many: string, values?: Values): string {
  const { language, catalogue } = spoken();
  const forms = catalogue?.[many];
  const found = typeof forms === "object" ? (forms[new Intl.PluralRules(language).select(count)] ?? forms.other) : null;
  return withValues(found ?? (count === 1 ? one : many), { n: count.toLocaleString(locale()), ...values });
}

/** Like `t`, for a word that other languages translate by its meaning: `as("verb", "Open")`. The key is "Open (verb)". */
export function as(meaning: string, text: string, values?: Values): string {
  return withValues(textFor(`${text} (${meaning})`, text), values);
}

/** Splits a text in the current language at `{name}`: texts are at even places, and names of values at odd ones. */
export function pieces(text: string): string[] {
  return t(text).split(/\{(\w+)\}/);
}

function textFor(key: string, text: string): string {
  const found = spoken().catalogue?.[key];
  return typeof found === "string" ? found : text;
}

function withValues(text: string, values: Values | undefined): string {
  return values ? text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole)) : text;
}
