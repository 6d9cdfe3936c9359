/**
 * Returns the message of an error as the end of a sentence. For a host with several addresses, it is the first one's
 * message.
 */
export function reasonOf(error: unknown): string {
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  const said = first ?? error;
  const message = said instanceof Error ? said.message : String(said);
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
