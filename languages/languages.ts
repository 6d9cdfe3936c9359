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
