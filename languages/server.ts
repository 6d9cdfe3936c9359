import { AsyncLocalStorage } from "node:async_hooks";
import { readFileSync } from "node:fs";
import { DEFAULT_LANGUAGE, type Language } from "./languages.ts";
import { setSpeech, type Catalogue, type Speech } from "./text.ts";

/* The language of what the service writes itself: emails, and pages that work without scripts. */

const ENGLISH: Speech = { language: DEFAULT_LANGUAGE };
const current = new AsyncLocalStorage<Speech>();
setSpeech(() => current.getStore() ?? ENGLISH);

const catalogues = new Map<Language, Catalogue>();

/** Runs `work` with its texts in a language, also what it waits for. @param locale - for numbers and times, such as "de-CH" */
export function inLanguage<T>(language: Language, work: () => T, locale?: string): T {
  return current.run({ language, catalogue: catalogueOf(language), locale }, work);
}

/** Returns the texts of the pages of everyone who answers. English has none. */
export function catalogueOf(language: Language): Catalogue | undefined {
  if (language === DEFAULT_LANGUAGE) return undefined;
  let known = catalogues.get(language);
  if (known === undefined) {
    known = JSON.parse(readFileSync(new URL(`./catalogues/${language}.json`, import.meta.url), "utf8")) as Catalogue;
    catalogues.set(language, known);
  }
  return known;
}
