import { locale, plural, t } from "../../../languages/text.ts";
import { isRaw } from "../../../form/plan/hints.ts";
import type { Me, Task } from "../api.ts";
import { inOneLine } from "../lists.ts";

export type Approvals = NonNullable<Task["approvals"]>;
type Vote = Approvals["decisions"][number];
type Reader = Pick<Me, "user_id">;

/** More people than this are counted. */
const NAMED_MAX = 3;

/** Returns what the reader has decided in this round; null if they have not. */
export function ownVote(approvals: Approvals | null, { user_id }: Reader): Vote | null {
  return approvals?.decisions.find(({ by }) => by.user_id === user_id) ?? null;
}

/** What several people are said to have decided, and what the reader alone. Changed arguments count as an approval. */
const DECIDED: Readonly<Record<"approve" | "reject" | "respond", (count: number, people: string) => string>> = {
  approve: (count, people) => plural(count, "{people} approved", "{people} approved", { people }),
  reject: (count, people) => plural(count, "{people} rejected", "{people} rejected", { people }),
  respond: (count, people) => plural(count, "{people} responded", "{people} responded", { people }),
};
const DECIDED_BY_YOU = { approve: t("You approved"), reject: t("You rejected"), respond: t("You responded") };

/** Says where approvals stand: "1 of 2: Ada approved, waiting for one more". */
export function standingOf(approvals: Approvals, reader: Reader, isOpen: boolean): string {
  const { need, have, decisions } = approvals;
  const kindOf = ({ decision }: Vote) => (decision === "edit" ? "approve" : decision);
  if (have === null) {
    const own = ownVote(approvals, reader);
    const first =
      own === null
        ? plural(need, "One person must approve.", "{n} people must approve.")
        : t("{decision}.", { decision: DECIDED_BY_YOU[kindOf(own)] });
    return `${first} ${t("What others decide is hidden until the end.")}`;
  }
  const said = [...Map.groupBy(decisions, kindOf)].map(([kind, votes]) =>
    votes.length === 1 && votes[0]!.by.user_id === reader.user_id
      ? DECIDED_BY_YOU[kind]
      : DECIDED[kind](votes.length, namesOf(votes, reader)),
  );
  const all = [
    ...(said.length === 0 ? [isOpen ? t("no approvals yet") : t("no approvals")] : said),
    ...(isOpen ? [missingIn(approvals, have)] : []),
  ];
  return t("{have} of {need}: {standing}", { have, need, standing: inOneLine(all) });
}

/** @returns the name of a person, as it was when they decided */
export function nameOfVoter({ user_id, name, email }: Vote["by"], reader: Reader): string {
  return user_id === reader.user_id ? t("You") : (name ?? email ?? t("Someone"));
}

function namesOf(votes: readonly Vote[], reader: Reader): string {
  const own = votes.filter(({ by }) => by.user_id === reader.user_id);
  const names = [...own, ...votes.filter((vote) => !own.includes(vote))].map(({ by }) => nameOfVoter(by, reader));
  const shown = names.length > NAMED_MAX ? names.slice(0, NAMED_MAX - 1) : names;
  const others = names.length - shown.length;
  return new Intl.ListFormat(locale()).format(
    others > 0 ? [...shown, plural(others, "{n} other", "{n} others")] : shown,
  );
}

/** Says who is missing. */
function missingIn({ need, waiting_for }: Approvals, have: number): string {
  const people = waiting_for.map(groupIn);
  const others = need - have - people.length;
  const groups = inOneLine(people);
  if (others <= 0) return t("waiting for {groups}", { groups: new Intl.ListFormat(locale()).format(people) });
  if (people.length > 0)
    return plural(others, "waiting for {groups} and one more", "waiting for {groups} and {n} more", { groups });
  return have === 0
    ? plural(others, "waiting for one person", "waiting for {n} people")
    : plural(others, "waiting for one more", "waiting for {n} more");
}

function groupIn(group: unknown): string {
  const {
    role,
    pool,
    emails = [],
  } = (isRaw(group) ? group : {}) as { role?: string; pool?: string; emails?: string[] };
  const named = role ?? pool;
  if (named !== undefined) return named;
  return emails.length === 1 ? emails[0]! : t("one of {people}", { people: inOneLine(emails) });
}
