import type { Static } from "typebox";
import { Nullable, Text, Time } from "../http/schema.ts";
import { Type } from "../lib/type.ts";
import { LABEL_LENGTH_MAX, PRIORITIES, type Priority } from "../tasks/labels.ts";
import { TASK_STATUSES, type TaskStatus } from "../tasks/lifecycle.ts";

/** Tasks of a view that are counted. */
export const COUNTED_MAX = 100;
export const PERSONAL_MAX = 30;
export const SHARED_MAX = 20;
/** Views in one list, each with its count. */
export const LISTED_MAX = 100;
const NAME_MAX = 60;

export const SCOPES = ["all", "mine", "unclaimed", "done"] as const;
const SORTS = ["deadline", "created"] as const;
const RANGES = ["1", "7", "30"] as const;

function choice<T extends string>(values: readonly T[], description: string) {
  return Type.Optional(Nullable(Type.Unsafe<T>({ type: "string", enum: [...values], description })));
}

function text(maxLength: number, description: string) {
  return Type.Optional(Nullable(Text({ minLength: 1, maxLength, description })));
}

/** What a list of tasks shows. The fields are those of the address of the list. */
export const ViewFilter = Type.Object(
  {
    scope: choice(
      SCOPES,
      "Which tasks: `all` open ones (default), `mine`: assigned to the person who looks, `unclaimed`: without an assignee, `done`: closed ones.",
    ),
    sort: choice(SORTS, "Of open tasks: `deadline`: soonest first (default); `created`: newest first."),
    q: text(200, "A search, as `q` of `GET /api/tasks`."),
    status: choice(TASK_STATUSES, "A status that tasks of the scope can have."),
    assignee: text(100, "With `all` only: id of a user, or `none` for unassigned tasks."),
    agent: text(100, "Id of the agent that asked."),
    label: text(LABEL_LENGTH_MAX, "A label, in any case."),
    priority: choice<Priority>(PRIORITIES, "A priority."),
    decision: text(200, "With `done` only: exact `label` of the `decision`."),
    by: text(100, "With `done` only: id of the user who answered."),
    channel: text(100, "With `done` only: channel of the answer."),
    range: choice(RANGES, "With `done` only: in how many days until now the task was closed."),
    project: text(64, "Slug of the only project whose tasks it shows. A shared view shows those of its project."),
  },
  { $id: "ViewFilter", additionalProperties: true },
);
/** Without defaults and null. */
export interface ViewFilter {
  scope?: (typeof SCOPES)[number];
  sort?: (typeof SORTS)[number];
  q?: string;
  status?: TaskStatus;
  assignee?: string;
  agent?: string;
  label?: string;
  priority?: Priority;
  decision?: string;
  by?: string;
  channel?: string;
  range?: (typeof RANGES)[number];
  project?: string;
}

/** What of a filter can be gone later. */
export const PROBLEMS = ["project", "agent", "assignee", "by"] as const;
export type Problem = (typeof PROBLEMS)[number];

const Name = Text({ minLength: 1, maxLength: NAME_MAX, description: "What people see. Each owner has a name once." });

const fields = {
  id: Type.String({ examples: ["viw_01kajv3mzt8w5rq0e4v9c2n7xb"] }),
  name: Name,
  project: Nullable(Type.String({ description: "Slug of the project that shares it; null: only its person sees it." })),
  filter: Type.Unsafe<ViewFilter>(Type.Ref("ViewFilter")),
  position: Type.Integer({ description: "Its place among the views of the person or of the project, from 0." }),
  can_change: Type.Boolean({ description: "Whether the caller may change and delete it." }),
  problems: Type.Array(Type.Unsafe<Problem>({ type: "string", enum: [...PROBLEMS] }), {
    description:
      "Fields of the filter whose project, agent or user is gone: deleted, deactivated, or no longer visible to the caller.",
  }),
  created_at: Time("When it was saved."),
  updated_at: Time("When it was last changed."),
};

export const ViewRecord = Type.Object(fields, { $id: "View" });
export type ViewRecord = Static<typeof ViewRecord>;

export const CountedViewRecord = Type.Object(
  {
    ...fields,
    count: Nullable(
      Type.Integer({
        description: `How many tasks it shows to the caller. ${COUNTED_MAX} means ${COUNTED_MAX} or more. null: closed tasks are not counted, and neither is a view with the problem \`project\`.`,
      }),
    ),
  },
  { $id: "CountedView" },
);
export type CountedViewRecord = Static<typeof CountedViewRecord>;

export const CreateViewBody = Type.Object(
  {
    name: Name,
    filter: Type.Ref("ViewFilter"),
    project: Type.Optional(
      Nullable(
        Text({
          minLength: 1,
          maxLength: 64,
          description: "Slug of the project that shares it. Default: only you see it.",
        }),
      ),
    ),
  },
  {
    $id: "CreateView",
    additionalProperties: true,
    examples: [{ name: "Urgent refunds", filter: { q: "is:urgent", label: "refund" } }],
  },
);
export interface CreateViewBody {
  name: string;
  filter: GivenFilter;
  project?: string | null;
}

export const UpdateViewBody = Type.Object(
  {
    name: Type.Optional(Nullable(Name)),
    filter: Type.Optional(Type.Unsafe({ anyOf: [{ $ref: "ViewFilter#" }, { type: "null" }] })),
    position: Type.Optional(
      Nullable(Type.Integer({ minimum: 0, maximum: 1000, description: "Moves it to this place." })),
    ),
  },
  { $id: "UpdateView", additionalProperties: true, examples: [{ name: "Refunds", position: 0 }] },
);
export interface UpdateViewBody {
  name?: string | null;
  filter?: GivenFilter | null;
  position?: number | null;
}

/** A filter of a request. */
export type GivenFilter = { [Name in keyof ViewFilter]?: ViewFilter[Name] | null };

export const ViewParams = Type.Object({ id: Type.String({ description: "Id of a view, `viw_...`." }) });
