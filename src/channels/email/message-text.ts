import type { Content, Link } from "./message-content.ts";

const WIDTH = 76;
/** Longer words are broken, because a line may have at most 998 octets. (RFC 5322) */
const MAX_WORD = 200;
const INDENT = "  ";

/**
 * Returns the email as plain text. Untrusted text is indented or prefixed, so that it cannot imitate our lines: only our own
 * links start a line.
 */
export function textOf(content: Content): string {
  const { sentBack, details, statement, decision } = content;
  const review = content.review && linked({ ...content.review, label: `${content.review.label}:` });
  const parts = [
    content.lead,
    sentBack && [
      sentBack.title,
      quoted(sentBack.reason.text),
      sentBack.reason.note && wrapped(sentBack.reason.note),
      wrapped(sentBack.advice),
    ],
    content.deadline,
    [quoted(content.heading), content.asker && quoted(content.asker), content.delegated && quoted(content.delegated)],
    details && [quoted(details.text), details.note && wrapped(details.note)],
    [
      ...content.facts.map(({ title, text }) => wrapped(`${title}: ${text}`, INDENT, INDENT + INDENT)),
      content.more && wrapped(content.more),
    ],
    statement && quoted(statement),
    decision && [quoted(decision.question), decision.description && quoted(decision.description)],
    ...(decision?.options.map(({ label, address }) => linked({ label: wrapped(label, "* ", INDENT), address })) ?? []),
    ...(decision === null && statement === null ? [review, content.promise] : [content.promise, review]),
    content.footer.map((line, index) => wrapped(line, "", index === 0 ? INDENT : "")),
    content.settings && linked({ ...content.settings, label: `${content.settings.label}:` }),
  ];
  return `${parts
    .map((part) => (Array.isArray(part) ? part.filter((line) => line).join("\n") : part))
    .filter((part) => part)
    .join("\n\n")}\n`;
}

function linked({ label, address }: Link): string {
  return `${label}\n${address}`;
}

/** Untrusted text, line by line. */
function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => wrapped(line, INDENT, INDENT))
    .join("\n");
}

/** In lines of readable length, the first behind `mark` and the others behind `indent`. */
function wrapped(text: string, mark = "", indent = ""): string {
  const lines: string[] = [];
  let line = mark;
  let isNew = true;
  for (const word of text.split(" ").flatMap(pieces)) {
    if (!isNew && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = indent;
      isNew = true;
    }
    line += isNew ? word : ` ${word}`;
    isNew = false;
  }
  return [...lines, line].map((each) => each.trimEnd()).join("\n");
}

function pieces(word: string): readonly string[] {
  if (word.length <= MAX_WORD) return [word];
  const characters = Array.from(word);
  const count = Math.ceil(characters.length / MAX_WORD);
  return Array.from({ length: count }, (_, index) =>
    characters.slice(index * MAX_WORD, (index + 1) * MAX_WORD).join(""),
  );
}
