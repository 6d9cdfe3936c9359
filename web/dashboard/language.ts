import { DEFAULT_LANGUAGE, isLocale, languageFor, type Language } from "../../languages/languages.ts";
import { setSpeech, type Catalogue } from "../../languages/text.ts";

/*
 * The language of the dashboard: the one that the person has chosen, or else the first that their browser asks for and that exists.
 * The modules of the page may use texts as soon as they run, so this is the first of them, and they wait for its texts.
 */

const KEY = "language";

const LOADS: Readonly<Record<Exclude<Language, "en">, () => Promise<{ default: Catalogue }[]>>> = {
  de: () => Promise.all([import("../../languages/de/form.json"), import("../../languages/de/dashboard.json")]),
  es: () => Promise.all([import("../../languages/es/form.json"), import("../../languages/es/dashboard.json")]),
  fr: () => Promise.all([import("../../languages/fr/form.json"), import("../../languages/fr/dashboard.json")]),
  ja: () => Promise.all([import("../../languages/ja/form.json"), import("../../languages/ja/dashboard.json")]),
};

/** Returns what this browser keeps of the choice, so that the page need not ask the service first. */
function readChoice(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

// Some browsers name what is no tag, such as "en-US@posix", which `Intl` would throw on.
const asked = navigator.languages.filter(isLocale);

const wantedWith = (chosen: string | null): Language | null => languageFor([chosen, ...asked]);

const wanted = wantedWith(readChoice());
const parts = wanted === null || wanted === "en" ? [] : await LOADS[wanted]().catch(() => null);
// Without its texts, the page is in English.
const language = parts === null ? DEFAULT_LANGUAGE : (wanted ?? DEFAULT_LANGUAGE);
const catalogue: Catalogue = Object.assign({}, ...(parts ?? []).map((part) => part.default));
// A browser that asks for no language that exists here still says how numbers and times are written.
const locale = wanted === null ? asked[0] : asked.find((tag) => languageFor([tag]) === language);
setSpeech(() => ({ language, catalogue, locale }));
document.documentElement.lang = language;

/** Keeps the choice of the person who is signed in. A page in another language is loaded again. @param chosen - null: none */
export function followChoice(chosen: string | null): void {
  if (chosen === readChoice()) return;
  try {
    if (chosen === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, chosen);
  } catch {
    // Then it cannot be kept, and loading the page again would never end.
    return;
  }
  if (wantedWith(chosen) !== wanted) location.reload();
}
