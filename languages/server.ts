import { AsyncLocalStorage } from "node:async_hooks";
import { readFileSync } from "node:fs";
import { DEFAULT_LANGUAGE, type Language } from "./languages.ts";
import { setSpeech, type Catalogue, type Speech } from "./text.ts";

/* The language of what the service writes itself: emails, and pages that work without scripts. */

const ENGLISH: Speech = { language: DEFAULT_LANGUAGE };
const current = new AsyncLocalStorage<Speech>();
setSpeech(() => current.getStore() ?? ENGLISH);

const catalogues = new Map<Language, Catalogue>();

/** Runs `work` with its texts in a language, also what it waits for. */
export function inLanguage<T>(language: Language, work: () => T): T {
  return withSpeech({ language, catalogue: catalogueOf(language) }, work);
}

/** The same with texts that are given. */
export function withSpeech<T>(speech: Speech, work: () => T): T {
  return current.run(speech, work);
}

/** Returns the texts of forms and of what the service writes. English has none. */
export function catalogueOf(language: Language): Catalogue | undefined {
  if (language === DEFAULT_LANGUAGE) return undefined;
  let known = catalogues.get(language);
  if (known === undefined) {
    known = { ...readCatalogue(language, "service"), ...readCatalogue(language, "form") };
    catalogues.set(language, known);
  }
  return known;
}

/**
 * Returns the texts of forms as an element for a page, whose script reads them before it draws (web/light/language.ts). "" for
 * English.
 */
export function textsElement(language: Language): string {
  if (language === DEFAULT_LANGUAGE) return "";
  // In a script element, only `<` could end it.
  const texts = JSON.stringify(readCatalogue(language, "form")).replaceAll("<", String.raw`\u003c`);
  return `<script type="application/json" id="texts">${texts}</script>\n`;
}

function readCatalogue(language: Language, part: "form" | "service"): Catalogue {
  return JSON.parse(readFileSync(new URL(`./${language}/${part}.json`, import.meta.url), "utf8")) as Catalogue;
}
