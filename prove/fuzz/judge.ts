import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { ERRORS, type ErrorCode } from "../../src/errors.ts";
import type { JsonObject } from "../../src/lib/json.ts";
import type { Answer } from "./connection.ts";
import { closeShapes, type Operation } from "./description.ts";
import type { Request } from "./requests.ts";

/** Returns the problems of an answer. */
export type Judge = (request: Request, answer: Answer) => string[];

/** Errors that any address may answer besides its declared ones, as the description says. */
const ANYWHERE: readonly ErrorCode[] = [
  "NOT_FOUND",
  "METHOD_NOT_ALLOWED",
  "REQUEST_TIMEOUT",
  "REQUEST_HEADERS_TOO_LARGE",
  "MALFORMED_REQUEST",
  "PAYLOAD_TOO_LARGE",
];
/** No vendor key and no Slack are set up here, so only these answers above 499 are expected. */
export const EXPECTED_FAILURES: readonly string[] = ["VERIFIER_API_KEY_MISSING", "SLACK_NOT_CONFIGURED"];
const SAFE_HEADERS = { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" };
const JSON_TYPE = "application/json; charset=utf-8";

/** @param document - the service's own description; an answer may contain only what it declares */
export function createJudge(document: JsonObject): Judge {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema(closeShapes(document), "openapi");
  const validators = new Map<string, ValidateFunction>();
  const shapeOf = (pointer: string): ValidateFunction => {
    let validator = validators.get(pointer);
    if (validator === undefined) {
      validator = ajv.compile({ $ref: `openapi#${pointer}` });
      validators.set(pointer, validator);
    }
    return validator;
  };
  const misfit = (pointer: string, body: unknown): string[] => {
    const validator = shapeOf(pointer);
    return validator(body)
      ? []
      : [`the body does not match ${pointer}: ${ajv.errorsText(validator.errors).slice(0, 500)}`];
  };

  const pages = pagesIn(document);

  return (request, answer) => {
    const { status, headers } = answer;
    const problems: string[] = [];
    const require = (isSo: boolean, problem: string) => void (isSo || problems.push(problem));
    const isHead = request.method === "HEAD";
    const requestId = headers.get("x-request-id");
    require(requestId !== undefined && requestId !== "", "there is no X-Request-Id");
    const given = request.headers.find(([name]) => name === "X-Request-Id")?.[1];
    // A malformed request may be refused before its headers are read.
    if (given !== undefined && request.allowed !== "any" && /^[\x20-\x7e]{1,128}$/.test(given))
      require(requestId === given, "X-Request-Id is not the caller's");
    for (const [name, value] of Object.entries(SAFE_HEADERS))
      require(headers.get(name) === value, `${name} is ${headers.get(name)}`);
    require(headers.has("content-security-policy"), "there is no Content-Security-Policy");
    require(request.mustBe === null ||
      request.mustBe.includes(status), `the status must be ${request.mustBe?.join(" or ")}`);

    let body: unknown = null;
    if (answer.body.length > 0 && headers.get("content-type") === JSON_TYPE) {
      try {
        body = JSON.parse(answer.body.toString());
      } catch (error) {
        problems.push(`the body is not JSON: ${(error as Error).message}`);
      }
    }
    const isPage = isErrorPage(request, answer, pages);
    const code = isPage
      ? /troubleshooting#([A-Z_]+)"/.exec(answer.body.toString())?.[1]
      : (body as { error_code?: string } | null)?.error_code;
    // Without a body the failure is unknown; among answers to HEAD, only Slack's routes have an expected one.
    const isExpected = isHead
      ? status === 503 && /^\S+ \/api\/channels\/slack\//.test(request.bytes.toString("latin1", 0, 100))
      : EXPECTED_FAILURES.includes(code ?? "");
    if (status >= 500) require(isExpected, "the service failed");
    require(!/"status":5\d\d,"error":/.test(
      JSON.stringify(body) ?? "",
    ), "the service failed with a part of the request");
    if (isPage) require(code !== undefined, "the page of an error has no code");
    else if (status >= 400 && !isHead) {
      require(headers.get("content-type") === JSON_TYPE, `an error has the type ${headers.get("content-type")}`);
      problems.push(...misfit("/components/schemas/Error", body), ...wrongError(body, answer));
    }
    if (status === 405) require((headers.get("allow") ?? "") !== "", "there is no Allow");
    if (status === 401) require(headers.get("www-authenticate") === "Bearer", "there is no WWW-Authenticate");
    if (status === 429 || status === 503) require(headers.has("retry-after"), "there is no Retry-After");

    const isOurs = ANYWHERE.some((each) => each === code) || (isHead && [400, 404, 405, 431].includes(status));
    switch (request.allowed) {
      case "unknown":
        require(status === 404 &&
          (isHead || code === "NOT_FOUND"), "the path does not exist: it must be 404 NOT_FOUND");
        break;
      case "method":
        require(status === 405, "this method is not allowed: it must be 405");
        break;
      case "page":
        require([200, 301, 302, 304, 400, 404].includes(status) ||
          (isHead && status === 405), "a page does not give this answer");
        break;
      case "any":
        break;
      case "lenient":
      case "declared":
        if (request.allowed === "declared" || !isOurs)
          problems.push(...undeclared(request.operation!, request.method, answer, body, misfit));
    }
    return problems;
  };
}

/** Some routes are opened by browsers only. They declare that their errors are pages. @param pages - their paths */
function isErrorPage({ operation, bytes }: Request, { status, headers }: Answer, pages: ReadonlySet<string>): boolean {
  const isPage = headers.get("content-type")?.startsWith("text/html") === true;
  // Whatever is sent as bytes may lead there too.
  const path = /^\S+ ([^\s?]*)/.exec(bytes.toString("latin1", 0, 200))?.[1] ?? "";
  return status >= 400 && isPage && (pages.has(operation?.path ?? "") || pages.has(path));
}

function pagesIn(document: JsonObject): Set<string> {
  const operations = Object.entries(document["paths"] as Record<string, Record<string, JsonObject>>);
  const isPage = ({ responses }: JsonObject) =>
    Object.entries(responses as Record<string, JsonObject>).some(isDeclaredPage);
  return new Set(operations.flatMap(([path, methods]) => (Object.values(methods).some(isPage) ? [path] : [])));
}

function isDeclaredPage([status, response]: [string, Record<string, unknown>]): boolean {
  return Number(status) >= 400 && Object.hasOwn((response["content"] as object | undefined) ?? {}, "text/html");
}

function wrongError(body: unknown, { status, headers }: Answer): string[] {
  const {
    error_code = "",
    docs = "",
    request_id,
  } = (body ?? {}) as { error_code?: string; docs?: string; request_id?: string };
  const entry = Object.hasOwn(ERRORS, error_code) ? ERRORS[error_code as ErrorCode] : null;
  const problems: string[] = [];
  if (entry === null) problems.push(`error_code ${JSON.stringify(error_code)} is not in the catalogue`);
  else if (entry.status !== status) problems.push(`${error_code} comes with ${entry.status}`);
  if (!docs.endsWith(`/docs/troubleshooting#${error_code}`)) problems.push(`docs is ${docs}`);
  if (request_id !== headers.get("x-request-id")) problems.push("request_id differs from the header");
  return problems;
}

function undeclared(
  { responses, method, path }: Operation,
  sent: string,
  { status, headers, body: bytes }: Answer,
  body: unknown,
  misfit: (pointer: string, body: unknown) => string[],
): string[] {
  const declared = responses[String(status)];
  if (declared === undefined) return [`${status} is not declared`];
  const problems: string[] = [];
  const content = declared["content"] as Record<string, unknown> | undefined;
  const types = Object.keys(content ?? {});
  const came = headers.get("content-type") ?? null;
  const type = came?.split(";", 1)[0] ?? null;
  if (type === null ? types.length > 0 : !types.includes(type))
    problems.push(`Content-Type is ${came}, declared is ${types.join(" or ") || null}`);
  for (const [name, header] of Object.entries(
    (declared["headers"] ?? {}) as Record<string, { schema?: { enum?: string[] } }>,
  )) {
    const value = headers.get(name.toLowerCase());
    if (value !== undefined && header.schema?.enum?.includes(value) === false) problems.push(`${name} is ${value}`);
    // Only replays have `Idempotent-Mismatch`, and the last page of a list has no `Link`.
    if (value === undefined && !["Idempotent-Mismatch", "Link"].includes(name))
      problems.push(`the declared header ${name} is missing`);
  }
  if (sent === "HEAD" || content === undefined) {
    if (bytes.length > 0) problems.push("there is a body, but none is declared");
    return problems;
  }
  if (type !== "application/json") return problems;
  const pointer = ["paths", path, method.toLowerCase(), "responses", String(status), "content", type, "schema"];
  return [
    ...problems,
    ...misfit(
      pointer.map((key) => `/${encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))}`).join(""),
      body,
    ),
  ];
}
