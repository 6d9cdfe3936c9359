/** What Slack puts between angle brackets: a mention, a link or a time, and what people see in its place after a bar. */
const MARKED = /<([^<>|]*)(?:\|([^<>]*))?>/g;
const ENTITIES: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };

/** Returns the ids of the people that a message mentions, each once. */
export function mentionedIn(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(/<@([A-Z0-9]+)(?:\|[^<>]*)?>/g), ([, id = ""]) => id))];
}

/**
 * Returns a message of a person as they see it, without Slack's encoding. (Slack's page "Formatting message text")
 * @param names - of people, by id
 */
export function plainOf(text: string, names: ReadonlyMap<string, string>): string {
  return text
    .replaceAll(MARKED, (_all, marked: string, label: string | undefined) => shown(marked, label || null, names))
    .replaceAll(/&(?:lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    .trim();
}

function shown(marked: string, label: string | null, names: ReadonlyMap<string, string>): string {
  const rest = marked.slice(1);
  switch (marked[0]) {
    case "@":
      return `@${names.get(rest) ?? label ?? rest}`;
    case "#":
      return `#${label ?? rest}`;
    case "!":
      // A group or a time has a label; `<!here>` and `<!channel>` have none.
      return label ?? `@${rest.split("^")[0]}`;
    default: {
      const address = marked.replace(/^(?:mailto|tel):/, "");
      const isSame = label === null || address === label || address.replace(/^https?:\/\//, "") === label;
      return isSame ? address : `${label} (${address})`;
    }
  }
}

/** Returns whether a message asks something. After its question mark, there may be a bracket, another mark or an emoji. */
export function isQuestion(text: string): boolean {
  return /[?？؟\u037E](?:[\s!)\]"'`”’»*_~]|:[\w+'-]+:|\p{Extended_Pictographic}|\uFE0F)*$/u.test(text);
}
