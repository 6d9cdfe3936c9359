import { formOfAction, formOfActions } from "../actions/form.ts";
import { readActions, type Actions } from "../actions/request.ts";
import type { CreateTaskBody } from "./schema.ts";

/** What a person reviews and answers. A client writes it, or it is made from actions. */
export type RequestForm = Required<Pick<CreateTaskBody, "payload" | "payload_schema" | "response_schema">>;
export type FormRequest = CreateTaskBody & RequestForm;

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
