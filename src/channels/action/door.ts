import type { Form } from "../../../form/plan/plan.ts";
import type { RecipientCaller } from "../../people/caller.ts";
import type { TaskWithDocuments } from "../../tasks/store.ts";

/** What a link opens. */
export interface OpenedLink {
  task: TaskWithDocuments;
  /** Whom it was made for; null: they have left. */
  caller: RecipientCaller | null;
}

/** What a form is made of. */
interface AskedTask {
  response_schema: unknown;
  form_definition: unknown;
  payload: unknown;
}

/** A channel whose links open the page on which one task is answered. */
export interface Door {
  /** The channel's name. */
  channel: string;
  /** Where its pages stand; the token follows. */
  path: string;
  /** How to get another link, in a sentence. */
  again: string;
  /** Why somebody who has left can do nothing, in a sentence. */
  gone: string;
  /**
   * @returns null where the token is none of ours, or its task is gone
   * @throws ServiceError where the channel cannot say at the moment who it is for
   */
  open(token: string): Promise<OpenedLink | null>;
  /** The form as the channel's messages have it: an index in them must mean the same here. @param timeZone - IANA name */
  formOf(task: AskedTask, timeZone: string, now: Date): Form;
}
