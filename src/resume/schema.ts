import type { Static } from "typebox";
import { Nullable, Text } from "../http/schema.ts";
import { Type } from "../lib/type.ts";

/** Entries of one task. */
export const RESUME_MAX = 3;

/**
 * What an engine gets.
 *
 * - outcome: the body of the callback
 * - response: the response alone; null if there is none
 */
export const SELECTIONS = ["outcome", "response"] as const;
export type Selection = (typeof SELECTIONS)[number];

/**
 * Where an entry stands.
 *
 * - waiting: the task is open
 * - pending: the task has ended, and attempts are made
 * - done, done_already: the engine has gone on, by this service or before
 * - gone: nothing waits there any more
 * - failed: every attempt failed
 */
export const RESUME_STATUSES = ["waiting", "pending", "done", "done_already", "gone", "failed"] as const;
export type ResumeStatus = (typeof RESUME_STATUSES)[number];

const Selects = Type.Unsafe<Selection>({
  type: "string",
  enum: [...SELECTIONS],
  description: "What is sent: `outcome`, the body of the callback (default), or only the `response`.",
});

/** One entry of `resume`, in a request. Its other fields are those of its kind. (beyond the spec: Resuming) */
export const ResumeRequest = Type.Object(
  {
    connection: Type.Optional(
      Nullable(Text({ minLength: 1, maxLength: 100, description: "Name or id of a connection of the project." })),
    ),
    url: Type.Optional(
      Nullable(
        Text({
          minLength: 1,
          maxLength: 2048,
          description: "Without a connection: an address that carries its own permission. It is stored encrypted.",
        }),
      ),
    ),
    select: Type.Optional(Nullable(Selects)),
  },
  {
    additionalProperties: true,
    description: "Where something waits for the task, with the fields that the kind of the connection asks for.",
  },
);
export type ResumeRequest = Static<typeof ResumeRequest>;

/** One entry of `resume`, as the task shows it. */
export const ResumeRecord = Type.Object(
  {
    kind: Type.String({ description: "The kind of engine.", examples: ["temporal"] }),
    connection: Type.Optional(Type.String({ description: "The connection, as the request named it." })),
    url: Type.Optional(Type.String({ description: "Where it is, without what must stay secret." })),
    select: Selects,
    status: Type.Unsafe<ResumeStatus>({
      type: "string",
      enum: [...RESUME_STATUSES],
      description:
        "`waiting`: the task is open. `pending`: attempts are made. `done`, `done_already`: the engine has gone on. `gone`: nothing waits there any more. `failed`: every attempt failed.",
    }),
    error: Nullable(
      Type.String({ description: "Why the latest attempt failed: a stable word, a colon and a sentence." }),
    ),
    delivery_id: Nullable(Type.String({ description: "Its delivery." })),
  },
  {
    additionalProperties: true,
    description: "An entry of the request, without what must stay secret, and where it stands.",
  },
);
export type ResumeRecord = Static<typeof ResumeRecord>;
