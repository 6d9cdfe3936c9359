import type { Static } from "typebox";
import { Json, Nullable, Text, Time } from "../http/schema.ts";
import { DECISIONS, type Decision } from "../actions/action.ts";
import { Type } from "../lib/type.ts";

/** Approvals that a task may need. */
const NEED_MAX = 10;
/** Entries of `exclude` and of `one_of_each`. */
const EXCLUDED_MAX = 20;
const GROUPS_MAX = 10;

const need = (description: string) => Type.Integer({ minimum: 1, maximum: NEED_MAX, description });
const Group = Json("People of the directory: one of `{role}`, `{pool}` and `{emails}`.");
const Veto = Type.Unsafe<"any" | "none">({ type: "string", enum: ["any", "none"] });

/** Who must approve, in a request. (beyond the spec: More than one person) */
export const ApprovalsRequest = Type.Object(
  {
    need: need("How many different people must approve."),
    from: Type.Optional(
      Nullable({ ...Group, description: "Who may decide. The task is offered to all of them." } as typeof Group),
    ),
    veto: Type.Optional(
      Nullable({
        ...Veto,
        description:
          "`any` (default): one rejection ends the task. `none`: it ends when `need` can no longer be reached.",
      } as typeof Veto),
    ),
    exclude: Type.Optional(
      Nullable(
        Type.Array(Text({ minLength: 1, maxLength: 200, description: "Who." }), {
          maxItems: EXCLUDED_MAX,
          description:
            "Whose decision does not count: `asker` (also the owner of the agent that asks), `on_behalf_of`, `answered:<task id>`.",
        }),
      ),
    ),
    blind: Type.Optional(
      Nullable(Type.Boolean({ description: "Hides what others decided until the task has ended." })),
    ),
    one_of_each: Type.Optional(
      Nullable(
        Type.Array(Group, {
          maxItems: GROUPS_MAX,
          description: "From each of these groups, a person of its own must approve.",
        }),
      ),
    ),
  },
  { additionalProperties: true },
);
export type ApprovalsRequest = Static<typeof ApprovalsRequest>;

const nullableText = (description: string) => Nullable(Type.String({ description }));

const Voter = Type.Object(
  {
    user_id: Type.String(),
    email: nullableText("Their email at the time."),
    name: nullableText("Their name at the time."),
  },
  { description: "The person." },
);
export type Voter = Static<typeof Voter>;

/** What one person decided. */
export const ApprovalRecord = Type.Object({
  by: Voter,
  decision: Type.Unsafe<Decision>({ type: "string", enum: [...DECISIONS] }),
  at: Time("When they decided."),
  channel: nullableText("Where they decided, for example `dashboard`."),
});
export type ApprovalRecord = Static<typeof ApprovalRecord>;

/** Where the approvals of a task stand, in rows of lists. */
export const ApprovalsSummary = Type.Object({
  need: need("How many people must approve."),
  have: Nullable(Type.Integer({ description: "How many have approved; null while that is hidden." })),
  round: Type.Integer({
    description:
      "1, 2, ...: an edit begins another round, and earlier decisions do not count in it. `payload` is what this round is about.",
  }),
});
export type ApprovalsSummary = Static<typeof ApprovalsSummary>;

/** Where the approvals of a task stand. */
export const Approvals = Type.Object({
  ...ApprovalsSummary.properties,
  decisions: Type.Array(ApprovalRecord, {
    description:
      "What people decided in this round, oldest first. Until the end of a blind task, only the caller's own.",
  }),
  changed_by: Nullable({
    ...Voter,
    description: "Who changed the arguments for this round; null in the first round, and while that is hidden.",
  } as typeof Voter),
  waiting_for: Type.Array(Group, {
    description: "The groups of `one_of_each` that no one has approved for; empty while that is hidden.",
  }),
  blind: Type.Boolean({ description: "What others decide is hidden until the end." }),
  veto: Veto,
});
export type Approvals = Static<typeof Approvals>;

/** The same in the record of a task, which one caller reads. */
export const ReadApprovals = Type.Object({
  ...Approvals.properties,
  refusal: nullableText("Why the caller's own decision does not count; null if it does, or if the task has ended."),
});
export type ReadApprovals = Static<typeof ReadApprovals>;
