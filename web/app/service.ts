import type { FormTask } from "../../form/plan/task-form.ts";
import { request } from "./host.ts";

/** A request for a person, as the tool `read_request` returns it. */
export interface Asked {
  readonly request_id: string;
  /** The page of the task, for people who sign in. */
  readonly url: string;
  /** Only if the person at the host may answer now. */
  readonly form?: Omit<FormTask, "task_id"> & {
    /** Of what the request asks. */
    readonly version: number;
    /** The question and what to review, as HTML. null if the service has no pages. */
    readonly review_html: string | null;
  };
  /** Why there is no form. */
  readonly closed?: { readonly title: string; readonly says: string };
}

/** Why an answer was refused. */
export interface Refusal {
  /** A code of the service. */
  readonly error_code?: string;
  readonly details?: readonly { readonly path: string; readonly keyword?: string }[];
}

/** The result of a tool, as the host passes it on. */
export interface ToolResult<T> {
  readonly isError?: boolean;
  readonly content: readonly { readonly text?: string }[];
  readonly structuredContent?: T;
}

/** Calls a tool of the server by the host. @throws Error if the host refuses */
export async function call<T>(name: string, args: object): Promise<ToolResult<T>> {
  return request("tools/call", { name, arguments: args });
}

/** Returns the text of a result. */
export function textOf({ content }: ToolResult<unknown>): string {
  return content.map(({ text }) => text).join("\n");
}
