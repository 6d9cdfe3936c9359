import { Type, type Static, type TSchema, type TUnsafe } from "typebox";
import { ERRORS, type ErrorCode } from "../errors.ts";

const MESSAGES: Readonly<Record<number, string>> = {
  400: "The request is not what this route takes.",
  401: "No valid credentials.",
  403: "Known, but not allowed.",
  404: "Not found.",
  409: "It is no longer, or already, as the request takes it to be.",
  413: "The body is too large.",
  422: "Well-formed, but refused.",
  429: "Too many tries.",
  500: "Something on our side.",
  502: "A vendor returned an error.",
  503: "The service cannot do it at the moment; try again.",
};

/** A value or null, in the form that validators and readers of OpenAPI 3.1 take most easily: `type: [t, "null"]`. */
export function Nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [(schema as { type?: string }).type, "null"] });
}

/** Text that can be stored. */
export const Text = (options: { minLength?: number; maxLength: number; description: string }) =>
  Type.String({ ...options, format: "storable-text" });

export const Time = (description: string) => Type.String({ description, examples: ["2026-01-31T12:00:00.000Z"] });

/** The answer of a list with pages. @param name - of the shape of its items */
export function pageOf<T>(name: string, description: string): TUnsafe<T[]> {
  return Type.Unsafe<T[]>({
    type: "array",
    items: Type.Ref(name),
    description,
    headers: {
      Link: { description: '`<...>; rel="next"` where there is a next page.', schema: { type: "string" } },
    },
  });
}

/** The body of every error. (spec: Errors) */
export const ErrorBodySchema = Type.Object(
  {
    error_code: Type.String({ description: "Stable across versions." }),
    message: Type.String({ description: "For people; may change." }),
    docs: Type.String({ description: "Where the code is explained." }),
    request_id: Type.String({ description: "Finds the request in the log." }),
    details: Type.Optional(
      Type.Array(
        Type.Object({
          path: Type.String({ description: "JSON Pointer into the body, or `/query/<name>`." }),
          message: Type.String(),
          keyword: Type.Optional(Type.String()),
        }),
        {
          description: "What is wrong, for validation errors.",
        },
      ),
    ),
  },
  { $id: "Error" },
);

/** What any route may answer besides its own errors. */
const EVERYWHERE = ["INTERNAL", "DATABASE_UNAVAILABLE"] as const satisfies ErrorCode[];

/** The responses of a route that fails with these codes, each status with its codes listed. */
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
