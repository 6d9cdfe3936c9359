/** Whether Node knows this time zone: an IANA name in any case, or an offset such as `+01:00`. */
export function isTimeZone(name: string): boolean {
  try {
    return Intl.DateTimeFormat("en", { timeZone: name }) !== null;
  } catch {
    return false;
  }
}
