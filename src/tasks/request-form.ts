import { formOfAction, formOfActions } from "../actions/form.ts";
import { readActions, type Actions } from "../actions/request.ts";
import type { JsonObject } from "../lib/json.ts";
import type { Formats } from "./client-schemas.ts";
import type { CreateTaskBody } from "./schema.ts";

/** What a person reviews and answers. A client writes it, or it is made from actions. */
export type RequestForm = Required<Pick<CreateTaskBody, "payload" | "payload_schema" | "response_schema">>;
export type FormRequest = CreateTaskBody & RequestForm;

/** A value of a request, and the schema that it must match. */
export interface Described {
  value: JsonObject;
  schema: JsonObject;
  /** JSON Pointer into the request. That of the schema ends with `_schema`. */
  path: string;
  formats: Formats;
}

/** Returns the values to check. Each action is checked by itself, so that an error names its place in the request. */
export function describedIn(request: FormRequest, actions: Actions | null): Described[] {
  if (actions === null) {
    const { payload, payload_schema } = request;
    return [{ value: payload, schema: payload_schema, path: "/payload", formats: "annotate" }];
  }
  return actions.all.map(({ args, args_schema, allowed }, i) => {
    const path = actions.isList ? `/actions/${i}/args` : "/action/args";
    // A person sends the arguments of an edit back, and formats of answers are checked.
    const formats = allowed.includes("edit") ? "assert" : "annotate";
    return { value: args, schema: args_schema, path, formats };
  });
}

/**
 * Returns a request with its form, and the actions that it is made from.
 *
 * @param body - of the shape of a creation
 * @throws ServiceError ACTION_AND_SCHEMAS, VALIDATION_FAILED
 */
export function readRequestForm(body: CreateTaskBody): { request: FormRequest; actions: Actions | null } {
  const actions = readActions(body);
  // Its shape says that the form is there.
  if (actions === null) return { request: body as FormRequest, actions };
  return {
    request: { ...body, ...(actions.isList ? formOfActions(actions.all) : formOfAction(actions.all[0]!)) },
    actions,
  };
}
