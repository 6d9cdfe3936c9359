/** What an error says, as the end of a sentence. Of a host with several addresses, what the first one said. */
export function reasonOf(error: unknown): string {
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  const said = first ?? error;
  const message = said instanceof Error ? said.message : String(said);
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
