/** The names of people, by their id and by their email in lower case. */
export type Names = ReadonlyMap<string, string>;

/** Returns the name for an email, or the email. */
export function named(email: string, names: Names): string;
export function named(email: string | null, names: Names): string | null;
export function named(email: string | null, names: Names): string | null {
  return email === null ? null : (names.get(email.toLowerCase()) ?? email);
}
