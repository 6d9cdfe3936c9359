/** The time zone of this browser, by its IANA name. */
export const BROWSER_ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Returns the time zones to choose from. @param own - always offered, even if this browser has another name for it */
export function zonesWith(own: string | null): { value: string; label: string }[] {
  const names = new Set(["UTC", ...(own === null ? [] : [own]), ...Intl.supportedValuesOf("timeZone")]);
  return [...names].map((value) => ({ value, label: zoneLabel(value) }));
}

/** Returns the name as people type it: "America/New York". */
export function zoneLabel(zone: string): string {
  return zone.replaceAll("_", " ");
}
