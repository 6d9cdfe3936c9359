import { t } from "../../../languages/text.ts";
import { isRaw } from "../../../form/plan/hints.ts";
import type { Me, Task } from "../api.ts";

export type Approvals = NonNullable<Task["approvals"]>;
type Vote = Approvals["decisions"][number];
type Reader = Pick<Me, "user_id">;

/** More people than this are counted. */
const NAMED_MAX = 3;

/** Returns what the reader has decided in this round; null if they have not. */
export function ownVote(approvals: Approvals | null, { user_id }: Reader): Vote | null {
  return approvals?.decisions.find(({ by }) => by.user_id === user_id) ?? null;
}

/** What each decision is called behind the name of a person. */
const VERBS: Readonly<Record<Vote["decision"], string>> = {
  approve: "approved",
  edit: "approved",
  reject: "rejected",
  respond: "responded",
};

/** Says where approvals stand: "1 of 2: Ada approved, waiting for one more". */
export function standingOf(approvals: Approvals, reader: Reader, isOpen: boolean): string {
  const { need, have, decisions } = approvals;
  if (have === null) {
    const own = ownVote(approvals, reader);
    const first =
      own === null
        ? t("{need} must approve.", { need: peopleIn(need) })
        : t("You {value}.", { value: VERBS[own.decision] });
    return t("{first} What others decide is hidden until the end.", { first });
  }
  const said = [...Map.groupBy(decisions, ({ decision }) => VERBS[decision])].map(
    ([verb, votes]) => `${namesOf(votes, reader)} ${verb}`,
  );
  const all = [
    ...(said.length === 0 ? [isOpen ? t("no approvals yet") : t("no approvals")] : said),
    ...(isOpen ? [t("waiting for {approvals}", { approvals: missingIn(approvals, have) })] : []),
  ];
  return t("{have} of {need}: {value}", { have, need, value: all.join(", ") });
}

/** @returns the name of a person, as it was when they decided */
export function nameOfVoter({ user_id, name, email }: Vote["by"], reader: Reader): string {
  return user_id === reader.user_id ? t("You") : (name ?? email ?? t("Someone"));
}

function namesOf(votes: readonly Vote[], reader: Reader): string {
  const own = votes.filter(({ by }) => by.user_id === reader.user_id);
  const names = [...own, ...votes.filter((vote) => !own.includes(vote))].map(({ by }) => nameOfVoter(by, reader));
  const shown = names.length > NAMED_MAX ? names.slice(0, NAMED_MAX - 1) : names;
  return listed(
    names.length > shown.length ? [...shown, t("{value} others", { value: names.length - shown.length })] : shown,
  );
}

function missingIn({ need, waiting_for }: Approvals, have: number): string {
  const groups = waiting_for.map(groupIn);
  const others = need - have - groups.length;
  if (others <= 0) return listed(groups);
  const isFirst = have === 0 && groups.length === 0;
  return listed([
    ...groups,
    isFirst ? peopleIn(others).toLowerCase() : others === 1 ? t("one more") : t("{others} more", { others }),
  ]);
}

function groupIn(group: unknown): string {
  const { role, pool, emails } = (isRaw(group) ? group : {}) as { role?: string; pool?: string; emails?: string[] };
  const named = role ?? pool;
  if (named !== undefined) return named;
  return emails?.length === 1 ? emails[0]! : t("one of {value}", { value: (emails ?? []).join(", ") });
}

function peopleIn(count: number): string {
  return count === 1 ? t("One person") : t("{count} people", { count });
}

/** "Ada", "Ada and Ben", "Ada, Ben and Cy" */
function listed(names: readonly string[]): string {
  if (names.length < 2) return names.join("");
  return t("{value} and {value2}", { value: names.slice(0, -1).join(", "), value2: names.at(-1)! });
}
