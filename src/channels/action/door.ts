import type { FastifyRequest } from "fastify";
import type { Form } from "../../../form/plan/plan.ts";
import { forReader } from "../../http/language.ts";
import type { RecipientCaller } from "../../people/caller.ts";
import type { TaskWithDocuments } from "../../tasks/store.ts";

/** The task and the person of a link. */
export interface OpenedLink {
  task: TaskWithDocuments;
  /** The person it was made for; null if they were deactivated. */
  caller: RecipientCaller | null;
}

/** The documents that define a form. */
interface AskedTask {
  response_schema: unknown;
  form_definition: unknown;
  payload: unknown;
}

/** A channel whose links open the page on which one task is answered. */
export interface Door {
  /** The channel's name. */
  channel: string;
  /** Path of its pages, before the token. */
  path: string;
  /** How to get another link, in a sentence. */
  again: () => string;
  /** Tells a deactivated person why they cannot answer, as a sentence. */
  gone: () => string;
  /**
   * @returns null if the token is invalid or its task is gone
   * @throws ServiceError where the channel cannot say at the moment who it is for
   */
  open(token: string): Promise<OpenedLink | null>;
  /** The form as the channel's messages have it: an index in them must mean the same here. @param timeZone - IANA name */
  formOf(task: AskedTask, timeZone: string, now: Date): Form;
}

/** Does something for the person of a link, with its texts in their language. */
export async function forReaderOf<T>(
  door: Door,
  request: Pick<FastifyRequest<{ Params: { token: string } }>, "headers" | "params">,
  work: () => T,
): Promise<Awaited<T>> {
  const link = await door.open(request.params.token);
  const read = { chosen: link?.caller?.person?.language, locale: link?.task.locale };
  return await forReader(request, read, work);
}
