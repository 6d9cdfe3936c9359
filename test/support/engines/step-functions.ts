import type { TestContext } from "node:test";
import { signAwsRequest } from "../../../src/lib/aws-signature.ts";
import type { Engine, Waiting } from "./engine.ts";
import { startStandIn, type Call, type Reply } from "./stand-in.ts";

const KEY_ID = "AKIAIOSFODNN7EXAMPLE";
const SECRET_KEY = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
export const REGION = "eu-central-1";
const SKEW_MS = 15 * 60_000;

export interface StepFunctionsEngine extends Engine {
  connection: { address: Record<string, unknown>; secret: string };
  settings: {
    /** What the keys are permitted. */
    actions: string[];
    /** Of temporary keys; null: the keys are not temporary. */
    sessionToken: string | null;
    isExpired: boolean;
    /** Its clock, in milliseconds ahead of this machine's. */
    aheadMs: number;
  };
  /** Ends the time of everything that waits. */
  endTime(): void;
}

/**
 * AWS Step Functions, by the documentation of AWS in November 2026:
 *
 * - Step Functions API Reference, SendTaskSuccess and SendTaskFailure: members, lengths, and the errors InvalidOutput, InvalidToken,
 *   TaskDoesNotExist and TaskTimedOut, all 400. "The task token has either expired or the task associated with the token has already been
 *   closed" is TaskTimedOut.
 * - Common Errors: AccessDeniedException, ExpiredTokenException, UnrecognizedClientException, RequestExpired and others. The signature is
 *   checked first, then the permission, then the members.
 * - IAM User Guide, "Create a signed AWS API request": host, x-amz-date and all other x-amz-* headers must be signed.
 * - Smithy, "AWS JSON 1.0 protocol": POST to `/` with X-Amz-Target; errors have `__type`.
 *
 * Its check of signatures accepts the SDK of AWS: see src/lib/aws-signature.test.ts.
 */
export async function startStepFunctions(t: TestContext): Promise<StepFunctionsEngine> {
  const waiting = new Map<string, { received: unknown[]; isOpen: boolean }>();
  const settings: StepFunctionsEngine["settings"] = {
    actions: ["SendTaskSuccess", "SendTaskFailure"],
    sessionToken: null,
    isExpired: false,
    aheadMs: 0,
  };
  const { url, script, close } = await startStandIn(t, (request) => {
    const wrong = wrongSignature(request);
    if (wrong !== null) return wrong;
    const action = /^AWSStepFunctions\.(\w+)$/.exec(String(request.headers["x-amz-target"]))?.[1] ?? "";
    if (request.method !== "POST" || request.path !== "/" || !action.startsWith("SendTask"))
      return fail("UnknownOperationException", 404);
    if (request.headers["content-type"] !== "application/x-amz-json-1.0") return fail("UnknownOperationException", 404);
    if (!settings.actions.includes(action)) return fail("AccessDeniedException");
    const input = JSON.parse(request.body) as Record<string, unknown>;
    return input["taskToken"] === "probe" ? act(action, input) : { act: () => act(action, input) };
  });

  function wrongSignature({ method, path, headers, body }: Call): Reply | null {
    const authorization = headers.authorization ?? "";
    const parts =
      /^AWS4-HMAC-SHA256 Credential=(\w+)\/(\d{8})\/([\w-]+)\/(\w+)\/aws4_request, SignedHeaders=([\w;-]+), Signature=[0-9a-f]{64}$/.exec(
        authorization,
      );
    const time = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(String(headers["x-amz-date"]));
    if (parts === null || time === null) return fail("IncompleteSignatureException");
    const [, id, day, region, service, names] = parts as unknown as [string, string, string, string, string, string];
    if (id !== KEY_ID) return fail("UnrecognizedClientException");
    const [, year, month, date, hour, minute, second] = time.map(Number) as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const at = Date.UTC(year, month - 1, date, hour, minute, second);
    const signed = names.split(";");
    const mustBe = Object.keys(headers).filter((name) => name === "host" || name.startsWith("x-amz-"));
    const isWhole = mustBe.every((name) => signed.includes(name)) && String(headers["x-amz-date"]).startsWith(day);
    if (!isWhole || region !== REGION || service !== "states") return fail("InvalidSignatureException");
    const given = Object.fromEntries(
      signed
        .filter((name) => !["host", "x-amz-date", "x-amz-security-token"].includes(name))
        .map((name) => [name, String(headers[name])]),
    );
    const sessionToken = (headers["x-amz-security-token"] as string | undefined) ?? null;
    const expected = signAwsRequest(
      { method, url: `http://${headers.host}${path}`, headers: given, body: Buffer.from(body) },
      {
        keys: { accessKeyId: KEY_ID, secretAccessKey: SECRET_KEY, sessionToken },
        region: REGION,
        service: "states",
        now: at,
      },
    );
    if (expected["Authorization"] !== authorization)
      return fail(
        "InvalidSignatureException",
        400,
        `The canonical string should have been: ${JSON.stringify(headers)}`,
      );
    if (Math.abs(Date.now() + settings.aheadMs - at) > SKEW_MS)
      return fail("InvalidSignatureException", 400, "Signature expired");
    if (sessionToken !== settings.sessionToken) return fail("UnrecognizedClientException");
    return settings.isExpired ? fail("ExpiredTokenException") : null;
  }

  function act(action: string, { taskToken, output, error, cause }: Record<string, unknown>): Reply {
    if (!isText(taskToken, 2048) || taskToken === "") return invalid(taskToken);
    if (action === "SendTaskSuccess" && !isText(output, Infinity)) return invalid(taskToken);
    if (error !== undefined && !isText(error, 256)) return invalid(taskToken);
    if (cause !== undefined && !isText(cause, 32_768)) return invalid(taskToken);
    if (!taskToken.startsWith("AAAA")) return fail("InvalidToken");
    const task = waiting.get(taskToken);
    if (task === undefined) return fail("TaskDoesNotExist");
    if (!task.isOpen) return fail("TaskTimedOut");
    if (action === "SendTaskSuccess") {
      if (Buffer.byteLength(output as string) > 262_144) return invalid(taskToken);
      try {
        task.received.push(JSON.parse(output as string));
      } catch {
        return fail("InvalidOutput");
      }
    } else task.received.push({ Error: error, Cause: cause });
    task.isOpen = false;
    return { status: 200, headers: { "Content-Type": "application/x-amz-json-1.0" }, body: {} };
  }

  let count = 0;
  return {
    connection: { address: { region: REGION, url }, secret: `${KEY_ID} ${SECRET_KEY}` },
    script,
    settings,
    endTime: () => waiting.forEach((task) => (task.isOpen = false)),
    async wait(): Promise<Waiting> {
      const task_token = `AAAAKgAAAAIAAAAAAAAAAe${(count++).toString().padStart(10, "0")}/+==`;
      const received: unknown[] = [];
      waiting.set(task_token, { received, isOpen: true });
      return { entry: { task_token }, received };
    },
    close,
  };
}

const isText = (value: unknown, max: number): value is string => typeof value === "string" && value.length <= max;

/** Step Functions quotes what it does not take. */
const invalid = (token: unknown) =>
  fail(
    "ValidationException",
    400,
    `1 validation error detected: Value '${String(token)}' failed to satisfy constraint`,
  );

function fail(type: string, status = 400, message = type): Reply {
  return {
    status,
    headers: { "Content-Type": "application/x-amz-json-1.0" },
    body: { __type: `com.amazonaws.swf.service.v2.model#${type}`, message },
  };
}
