import type { FastifyRequest } from "fastify";
import { languageOfReader } from "../../languages/languages.ts";
import { inLanguage } from "../../languages/server.ts";

/**
 * Does something with its texts in the language of the reader: the chosen one, or else one that their browser asks for, or else that of
 * what they read.
 *
 * @param chosen - tag that counts first, such as the choice of a person
 * @param locale - tag of what they read
 */
export function forReader<T>(
  { headers }: Pick<FastifyRequest, "headers">,
  { chosen, locale }: { chosen?: string | null | undefined; locale?: string | null | undefined },
  work: () => T,
): T {
  return inLanguage(languageOfReader({ chosen, accepted: headers["accept-language"], locale }), work);
}
