import { cutText, oneLine } from "../../../form/plain-text.ts";
import { inLanguage } from "../../../languages/server.ts";
import { DEFAULT_LANGUAGE, type Language } from "../../../languages/languages.ts";
import { plural, t } from "../../../languages/text.ts";
import type { Config } from "../../config.ts";
import type { Logger } from "pino";
import type { Db } from "../../db/database.ts";
import { failure, type Outcome } from "../../deliveries/kinds.ts";
import { HOUR } from "../../lib/time.ts";
import { sayUntil } from "../../tasks/deadline-words.ts";
import type { Task } from "../../tasks/store.ts";
import { AUTOMATIC, findIdentity, isSenderOf, SEALED } from "./identities.ts";
import type { Content } from "./message-content.ts";
import { htmlOf } from "./message-html.ts";
import { textOf } from "./message-text.ts";
import { sendMail } from "./transport.ts";

/** Tasks that a digest names. */
const MAX_TASKS = 10;
/** In characters as people count them. */
const MAX_TITLE = 140;
const MAX_FACTS = 160;

export interface Digest {
  /** What waits for the person, the soonest first. */
  tasks: readonly Pick<Task, "id" | "task" | "facts" | "redact_payload" | "timeout_at">[];
  /** There are more than these. */
  has_more: boolean;
  /** The absolute address of this service. */
  url: string;
  to: string;
  /** Of the recipient. Default: English. */
  language?: Language;
  now: number;
}

/** Renders the email that lists what waits for a person. No link in it answers. (beyond the spec: Being told) */
export function renderDigest(digest: Digest): { subject: string; html: string; text: string } {
  return inLanguage(digest.language ?? DEFAULT_LANGUAGE, () => renderSpoken(digest));
}

function renderSpoken(digest: Digest): { subject: string; html: string; text: string } {
  const content = contentOf(digest);
  return { subject: content.subject, html: htmlOf(content), text: textOf(content) };
}

function contentOf({ tasks, has_more, url, to, now }: Digest): Content {
  const heading = has_more
    ? plural(tasks.length, "{n}+ task waits for you", "{n}+ tasks wait for you")
    : plural(tasks.length, "{n} task waits for you", "{n} tasks wait for you");
  const soonest = tasks[0]!.timeout_at - now;
  const deadline = soonest > 0 ? t("The first is due {when}", { when: sayUntil(soonest) }) : t("The first is due now");
  const shown = tasks.slice(0, MAX_TASKS);
  const hidden = tasks.length - shown.length;
  return {
    direction: "ltr",
    subject: heading,
    preheader: `${deadline}. ${shown.map(titleOf).join(" · ")}`,
    lead: `Human Task Service · ${t("what waits for you")}`,
    sentBack: null,
    deadline,
    isSoon: soonest <= HOUR,
    heading,
    asker: null,
    delegated: null,
    details: null,
    facts: shown.map((task) => {
      const left = task.timeout_at - now;
      const facts = task.redact_payload || task.facts === null ? [] : [cutText(oneLine(task.facts), MAX_FACTS)];
      return {
        title: left > 0 ? t("Due {when}", { when: sayUntil(left) }) : t("Due now"),
        text: [titleOf(task), ...facts].join(" · "),
      };
    }),
    more:
      hidden > 0
        ? `+ ${has_more ? plural(hidden, "{n} or more in your inbox", "{n} or more in your inbox") : plural(hidden, "{n} in your inbox", "{n} in your inbox")}`
        : null,
    statement: null,
    decision: null,
    promise: t("You answer in your inbox. No link in this email answers for you."),
    review: { label: t("Open your inbox"), address: `${url}/inbox` },
    footer: [t("For {person}", { person: to }), t("You get this email because you chose a digest in your settings.")],
    settings: { label: t("Change how you are notified"), address: `${url}/settings/notifications` },
  };
}

function titleOf({ task, redact_payload }: Digest["tasks"][number]): string {
  return redact_payload ? t("A confidential task") : cutText(oneLine(task), MAX_TITLE);
}

/**
 * Sends a digest through a sender. Never rejects.
 * @param sender - the id of the sender, which must be one of the project
 * @param id - the same for every attempt, so that an email that arrives twice is recognized
 */
export async function sendDigest(
  ctx: { db: Db; config: Config; log: Logger },
  digest: Digest,
  { sender, project, id }: { sender: string; project: string; id: string },
  signal: AbortSignal,
): Promise<Outcome> {
  const identity = await findIdentity(ctx, sender);
  if (identity === null || !isSenderOf(identity, [project]))
    return { ...failure("no_identity", `The email sender "${sender}" was deleted.`), is_final: true };
  if (identity.transport === null) return { ...failure("sealed", SEALED), is_final: true };
  const { from, reply_to } = identity;
  const message_id = `<${id}.digest@${from.address.slice(from.address.lastIndexOf("@") + 1)}>`;
  const mail = { ...renderDigest(digest), from, reply_to, to: digest.to, message_id, headers: AUTOMATIC };
  const result = await sendMail(identity.transport, mail, { dataDir: ctx.config.dataDir, log: ctx.log }, signal);
  if (result.ok) return { ok: true, status_code: null, response_excerpt: null };
  return { ...failure(result.error, result.message), is_final: result.is_final };
}
