import type { components, operations } from "./api.ts";

// What the service says, as it says it: spelled as on the wire. (openapi.json)

type Schemas = components["schemas"];
export type TaskRecord = Schemas["Task"];
/** A task in a list. The client asks for whole rows, so they have their documents. */
export type ListedTask = Schemas["ListedTask"] & Pick<TaskRecord, "payload" | "response">;
/** The state of a task. */
export type TaskOutcome = Schemas["PollResult"];
export type AuditEntry = Schemas["AuditEntry"];
export type EmbedToken = Schemas["EmbedToken"];
/** The body of a creation. */
export type CreateTask = Schemas["CreateTask"];
/** One place of a request that something is wrong with. */
export type Problem = NonNullable<Schemas["Error"]["details"]>[number];
export type ListQuery = NonNullable<operations["listTasks"]["parameters"]["query"]>;
