import { t } from "../../languages/text.ts";
import { confirmThen } from "./confirmation.ts";
import type { components } from "./schemas.d.ts";

type Schemas = components["schemas"];
export type Task = Schemas["Task"];
export type ListedTask = Schemas["ListedTask"];
export type TaskStatus = Task["status"];
export type TaskCounts = Schemas["TaskCounts"];
export type Comment = Schemas["Comment"];
export type Version = Schemas["Version"];
export type AuditEntry = Schemas["AuditEntry"];
export type RefusedAnswer = Schemas["RefusedAnswer"];
export type WebhookDelivery = Schemas["WebhookDelivery"];
export type User = Schemas["User"];
export type Agent = Schemas["Agent"];
export type Me = Schemas["Me"];
export type ConfirmationWays = Schemas["ConfirmationWays"];
export type SetupStatus = Schemas["SetupStatus"];

/** An error that the service returned. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: readonly { path: string; message: string; keyword: string }[];
  /** Seconds; only for 429 and 503. */
  readonly retryAfter: number | null;
  constructor(status: number, body: Partial<Schemas["Error"]>, retryAfter: number | null) {
    super(body.message ?? t("The service answered {status}.", { status }));
    this.status = status;
    this.code = body.error_code ?? "UNKNOWN";
    this.details = (body.details ?? []) as ApiError["details"];
    this.retryAfter = retryAfter;
  }
}

/** Dispatched on the window when the session has ended. */
export const SIGNED_OUT = "signed-out";

/** Dispatched on the window when the person has signed in again over the page. */
export const SIGNED_IN = "signed-in";

/** Calls that give the session another cookie. */
const RENEWING: ReadonlySet<string> = new Set([
  "POST /api/auth/login",
  "POST /api/auth/login/passkey",
  "POST /api/auth/confirm",
  "POST /api/auth/passkeys",
]);
/** Counts new session cookies, because a 401 to an earlier request says nothing about the current session. */
let signIns = 0;

/** Returns how often this page has got a new session cookie. */
export function countSignIns(): number {
  return signIns;
}

/** The page where people sign in with a company account. It leads back to a path of the dashboard. */
export function companySignIn(returnTo: string, more: Readonly<Record<string, string>> = {}): string {
  return `/api/auth/oidc/start?${new URLSearchParams({ ...more, return_to: returnTo })}`;
}

/** The service could not be reached. */
export class OfflineError extends Error {}

export interface Answer<T> {
  readonly data: T;
  /** Path of the next page; null on the last. */
  readonly next: string | null;
}

/**
 * Calls the service. If the call needs a confirmation, the person is asked for it first.
 * @throws ApiError, OfflineError; with a `signal` that is aborted, any error
 */
export async function request<T>(
  method: string,
  path: string,
  body?: unknown,
  signal: AbortSignal | null = null,
): Promise<Answer<T>> {
  try {
    return await requestOnce(method, path, body, signal);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "CONFIRMATION_REQUIRED") throw error;
    return confirmThen(error, () => request<T>(method, path, body, signal));
  }
}

async function requestOnce<T>(
  method: string,
  path: string,
  body: unknown,
  signal: AbortSignal | null,
): Promise<Answer<T>> {
  const before = signIns;
  const response = await send(path, {
    method,
    signal,
    ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const data: unknown = text === "" ? null : JSON.parse(text);
  if (!response.ok) throw refusalOf(path, response, data ?? {}, before);
  if (RENEWING.has(`${method} ${path}`)) signIns++;
  const next = /<([^>]+)>;\s*rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  return { data: data as T, next: next === undefined ? null : next.replace(/^https?:\/\/[^/]+/, "") };
}

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init);
  } catch (error) {
    throw new OfflineError(t("No connection to the service."), { cause: error });
  }
}

/** @param before - how often the page had got a session cookie when the request was sent */
function refusalOf(path: string, response: Response, body: Partial<Schemas["Error"]>, before: number): ApiError {
  const { error_code: code } = body;
  // Wrong passwords and passkeys are 401 too, with codes of their own.
  if (code === "UNAUTHENTICATED" && before === signIns) dispatchEvent(new Event(SIGNED_OUT));
  // The session has been limited since the last request. The page that takes the person out of it handles its own errors.
  if (code === "PASSKEY_REQUIRED" && !path.startsWith("/api/auth/")) location.assign("/passkey");
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
  return new ApiError(response.status, body, Number.isNaN(retryAfter) ? null : retryAfter);
}

/** Loads a file. @throws ApiError, OfflineError; with a `signal` that is aborted, any error */
export async function getFile(path: string, signal: AbortSignal): Promise<Blob> {
  const before = signIns;
  const response = await send(path, { signal });
  if (!response.ok) throw refusalOf(path, response, (await response.json()) as Partial<Schemas["Error"]>, before);
  return response.blob();
}

export async function get<T>(path: string): Promise<T> {
  return (await request<T>("GET", path)).data;
}

export async function patch<T>(path: string, body: unknown): Promise<T> {
  return (await request<T>("PATCH", path, body)).data;
}

export async function put<T>(path: string, body: unknown): Promise<T> {
  return (await request<T>("PUT", path, body)).data;
}

/** `delete` is a reserved word. */
export async function remove<T>(path: string): Promise<T> {
  return (await request<T>("DELETE", path)).data;
}

export async function post<T>(path: string, body: unknown = {}, signal: AbortSignal | null = null): Promise<T> {
  return (await request<T>("POST", path, body, signal)).data;
}
