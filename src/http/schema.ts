import type { Static, TSchema, TUnsafe } from "typebox";
import { ERRORS, type ErrorCode } from "../errors.ts";
import type { JsonObject } from "../lib/json.ts";
import { Type } from "../lib/type.ts";

const MESSAGES: Readonly<Record<number, string>> = {
  400: "Invalid request.",
  401: "Missing or invalid credentials.",
  403: "No permission.",
  404: "Not found.",
  409: "The resource is not in a state that allows this.",
  413: "The body is too large.",
  422: "A value is invalid.",
  429: "Too many attempts.",
  500: "Internal error.",
  502: "An upstream vendor returned an error.",
  503: "Temporarily unavailable. Try again.",
};

/** Returns the schema of a value or null, written as `type: [t, "null"]`, which OpenAPI 3.1 tools handle best. */
export function Nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  const { type, enum: values } = schema as { type?: string; enum?: readonly unknown[] };
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [type, "null"], ...(values && { enum: [...values, null] }) });
}

/** Returns the schema of an object of a client, whatever is in it. */
export const Json = (description: string) =>
  Type.Unsafe<JsonObject>({ type: "object", additionalProperties: true, description });

/** Returns the schema of text that the database can store. */
export const Text = (options: { minLength?: number; maxLength: number; description: string }) =>
  Type.String({ ...options, format: "storable-text" });

export const Time = (description: string) => Type.String({ description, examples: ["2026-01-31T12:00:00.000Z"] });

/** Returns the schema of a paged list. @param name - of the schema of its items */
export function pageOf<T>(name: string, description: string): TUnsafe<T[]> {
  return Type.Unsafe<T[]>({
    type: "array",
    items: Type.Ref(name),
    description,
    headers: {
      Link: { description: '`<...>; rel="next"`, if there is a next page.', schema: { type: "string" } },
    },
  });
}

/** The body of every error. (spec: Errors) */
export const ErrorBodySchema = Type.Object(
  {
    error_code: Type.String({ description: "Stable across versions." }),
    message: Type.String({ description: "For people; may change." }),
    docs: Type.String({ description: "Link to the explanation of the code." }),
    request_id: Type.String({ description: "Identifies the request in the log." }),
    details: Type.Optional(
      Type.Array(
        Type.Object({
          path: Type.String({ description: "JSON Pointer into the body, or `/query/<name>`." }),
          message: Type.String(),
          keyword: Type.Optional(Type.String()),
        }),
        {
          description: "The problems, for validation errors.",
        },
      ),
    ),
    version: Type.Optional(Type.Integer({ description: "For `TASK_REVISED`: the current version of the task." })),
  },
  { $id: "Error" },
);

/** Errors that any route can return. */
const EVERYWHERE = ["INTERNAL", "DATABASE_UNAVAILABLE"] as const satisfies ErrorCode[];

/** Returns the error responses of a route whose errors are pages, by status. */
export function errorPages(...codes: ErrorCode[]): Record<number, TSchema> {
  const content = { "text/html": { schema: { type: "string", description: "A page that says what to do." } } };
  return Object.fromEntries(
    Object.entries(errors(...codes)).map(([status, { description }]: [string, TSchema & { description?: string }]) => [
      status,
      Type.Unsafe({ description, content }),
    ]),
  );
}

/** Returns the error responses of a route, by status. */
export function errors(...codes: ErrorCode[]): Record<number, TSchema> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set([...codes, ...EVERYWHERE])) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [
      status,
      Type.Unsafe({
        description: `${MESSAGES[status] ?? ""} ${ofStatus.map((code) => `\`${code}\``).join(", ")}`.trim(),
        allOf: [{ $ref: "Error#" }, { type: "object", properties: { error_code: { type: "string", enum: ofStatus } } }],
      }),
    ]),
  );
}

/** The part of a query that limits a list to one project. */
export const ProjectFilter = Type.Optional(
  Text({ minLength: 1, maxLength: 64, description: "Slug of a project. Returns only what is in it." }),
);

/** A query that has nothing else. */
export const InProjectQuery = Type.Object({ project: ProjectFilter });

/** In which project something is that has a name of its own in each. */
export const OwnProjectQuery = Type.Object({
  project: Type.Optional(
    Text({
      minLength: 1,
      maxLength: 64,
      description:
        "Slug of its project. Default: the project of the agent; `default`; or the only project whose operator the caller is.",
    }),
  ),
});
export type OwnProjectQuery = Static<typeof OwnProjectQuery>;
