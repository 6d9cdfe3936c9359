/** The languages that texts of the product exist in. Tags and names are those of BCP 47 and of the languages themselves. */
export const LANGUAGES = { en: "English", de: "Deutsch", fr: "Français", es: "Español", ja: "日本語" } as const;

export type Language = keyof typeof LANGUAGES;

export const LANGUAGE_TAGS = Object.keys(LANGUAGES) as Language[];

export const DEFAULT_LANGUAGE: Language = "en";

export function isLanguage(tag: unknown): tag is Language {
  return typeof tag === "string" && Object.hasOwn(LANGUAGES, tag);
}

/**
 * Returns the first of the wanted languages that exists here, by its primary subtag: "de" for "de-CH". Wishes are tags
 * such as "pt-BR", best first; undefined and unknown ones are passed over. null: none exists.
 */
export function languageFor(wanted: Iterable<string | null | undefined>): Language | null {
  for (const tag of wanted) {
    const primary = tag?.split(/[-_]/, 1)[0]!.toLowerCase();
    if (isLanguage(primary)) return primary;
  }
  return null;
}

/**
 * Returns the language of a reader: the one that they chose, or else the first that their browser asks for and that exists here, or else
 * that of what they read. @param accepted - the header Accept-Language @param locale - of the task
 */
export function languageOfReader({
  chosen,
  accepted,
  locale,
}: {
  chosen?: string | null | undefined;
  accepted?: string | undefined;
  locale?: string | null | undefined;
}): Language {
  return languageFor([chosen, ...acceptedLanguages(accepted), locale]) ?? DEFAULT_LANGUAGE;
}

/** Returns the tags of an Accept-Language header, best first. Never throws: what cannot be read is left out. (RFC 9110, 12.5.4) */
export function acceptedLanguages(header: string | undefined): string[] {
  return (header ?? "")
    .slice(0, 1_000)
    .split(",")
    .map((part, place) => {
      const [tag, ...rest] = part.trim().split(";");
      const quality = rest.map((one) => /^\s*q=([\d.]+)\s*$/.exec(one)?.[1]).find((one) => one !== undefined);
      return { tag: tag!.trim(), quality: Number(quality ?? 1), place };
    })
    .filter(({ tag, quality }) => /^[A-Za-z]{2,8}(-[\w]{1,8})*$/.test(tag) && quality > 0)
    .toSorted((a, b) => b.quality - a.quality || a.place - b.place)
    .map(({ tag }) => tag);
}

/** Returns whether a text is the tag of a language, in any spelling that BCP 47 allows. */
export function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

/** Languages that are written from right to left, unless their tag names another script. */
const RIGHT_TO_LEFT = /^(ar|ckb|dv|fa|he|iw|ku-arab|pa-arab|ps|sd|ug|ur|yi|[a-z]{2,3}-(arab|hebr))\b/i;

/** Returns how the texts of a language run. */
export function directionOf(tag: string): "ltr" | "rtl" {
  return RIGHT_TO_LEFT.test(tag) && !/-latn\b/i.test(tag) ? "rtl" : "ltr";
}

const FROM_THE_RIGHT = /^[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Returns how the page about a task runs: as its language does, or else as its text begins. */
export function directionFor(locale: string | null, text: string): "ltr" | "rtl" {
  if (locale !== null) return directionOf(locale);
  return FROM_THE_RIGHT.test(/\p{L}/u.exec(text)?.[0] ?? "") ? "rtl" : "ltr";
}
