import type { Entries } from "../../form/plan/entries.ts";
import type { Form } from "../../form/plan/plan.ts";
import { touchedIn } from "../../form/plan/touched.ts";
import { formOfAction, formOfActions } from "../actions/form.ts";
import { fromStored } from "../actions/request.ts";
import { findVersion, type VersionDocuments } from "../conversation/versions.ts";
import type { Reader } from "../db/database.ts";
import type { TaskWithDocuments } from "../tasks/store.ts";

/**
 * Returns the entries of a form that showed an earlier version of a task, without what it had filled in and a person left as it
 * was. So the form of the new version shows its own values there, and only what the person changed is an edit.
 *
 * @param version - the one that was shown
 * @param formOf - the form of a task on this surface
 */
export async function touchedSince(
  reader: Reader,
  task: TaskWithDocuments,
  version: number,
  entries: Entries,
  formOf: (task: TaskWithDocuments) => Form,
): Promise<Entries> {
  const shown = version < task.version ? await findVersion(reader, task.id, version) : null;
  return shown === null ? entries : touchedIn(formOf({ ...task, ...documentsOf(shown) }), entries);
}

function documentsOf(version: VersionDocuments): Partial<TaskWithDocuments> {
  const { payload, payload_schema, action } = version;
  const actions = fromStored(version);
  if (actions === null) return { payload };
  const form = actions.isList ? formOfActions(actions.all) : formOfAction(actions.all[0]!);
  return {
    payload,
    payload_schema,
    action,
    response_schema: JSON.stringify(form.response_schema),
    form_definition: JSON.stringify(form.form_definition),
  };
}
