import { createHash, createPublicKey, verify } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { TestContext } from "node:test";
import { listen } from "./listen.ts";

/** A request that a push service got. */
interface Pushed {
  /** The browser that it is for. */
  endpoint: string;
  headers: IncomingHttpHeaders;
}

export interface PushService {
  /** Returns the address of a new browser, which subscribed with a key. */
  subscribe(publicKey: string): { id: string; endpoint: string };
  /** The last browser that subscribed. */
  known(): { endpoint: string } | null;
  /** What was accepted. */
  pushed: Pushed[];
  /** What was refused, as "status: why". */
  refused: string[];
  /** Answers every request with this status from now on; null: as it should be. */
  fail(status: number | null, headers?: Record<string, string>): void;
}

/** Longest life of a signature. (RFC 8292, 2) */
const LIFETIME_S = 24 * 3600;

/** A push service (RFC 8030) that holds its clients to VAPID (RFC 8292), as those of Chrome, Firefox and Safari do. */
export async function startPushService(t: TestContext): Promise<PushService> {
  const keys = new Map<string, string>();
  const pushed: Pushed[] = [];
  const refused: string[] = [];
  let failing: { status: number; headers: Record<string, string> } | null = null;
  let count = 0;
  let last: { endpoint: string } | null = null;
  const origin = await listen(t, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const endpoint = `${origin}${request.url}`;
      if (failing !== null) return response.writeHead(failing.status, failing.headers).end("not now");
      const why = problemOf(request.method, request.headers, Buffer.concat(chunks), origin, keys.get(endpoint));
      if (why === null) {
        pushed.push({ endpoint, headers: request.headers });
        return response.writeHead(201, { location: `${origin}/message/${pushed.length}` }).end();
      }
      const status = keys.has(endpoint) ? Number(why.slice(0, 3)) : 410;
      refused.push(why);
      return response.writeHead(status).end(why);
    });
  });
  return {
    subscribe: (publicKey) => {
      const endpoint = `${origin}/push/${++count}-${"x".repeat(150)}`;
      keys.set(endpoint, publicKey);
      last = { endpoint };
      return { id: createHash("sha256").update(endpoint).digest("hex"), endpoint };
    },
    known: () => last,
    pushed,
    refused,
    fail: (status, headers = {}) => void (failing = status === null ? null : { status, headers }),
  };
}

function problemOf(
  method: string | undefined,
  headers: IncomingHttpHeaders,
  body: Buffer,
  origin: string,
  key: string | undefined,
): string | null {
  if (key === undefined) return "410: no such browser";
  if (method !== "POST") return "405: POST only";
  if (!/^\d{1,7}$/.test(String(headers["ttl"]))) return "400: TTL is required";
  if (headers["topic"] !== undefined && !/^[\w-]{1,32}$/.test(String(headers["topic"]))) return "400: bad Topic";
  if (!["very-low", "low", "normal", "high", undefined].includes(headers["urgency"] as string))
    return "400: bad Urgency";
  if (body.length > 0) return "400: content must be encrypted";
  if (headers["content-length"] !== "0") return "411: length required";
  const [, token, k] = /^vapid t=([\w-]+\.[\w-]+\.[\w-]+), k=([\w-]+)$/.exec(String(headers["authorization"])) ?? [];
  if (token === undefined || k === undefined) return "401: no VAPID";
  if (k !== key) return "403: the browser subscribed with another key";
  const [head, claims, signature] = token.split(".") as [string, string, string];
  const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>;
  if (read(head)["alg"] !== "ES256") return "403: ES256 only";
  const { aud, exp, sub } = read(claims);
  if (aud !== origin) return "403: signed for another origin";
  const left = Number(exp) - Date.now() / 1000;
  if (!(left > 0 && left <= LIFETIME_S)) return "403: expired, or good for more than a day";
  if (!/^(mailto:|https?:)/.test(String(sub))) return "403: no contact";
  const point = Buffer.from(k, "base64url");
  const jwk = {
    kty: "EC",
    crv: "P-256",
    x: point.subarray(1, 33).toString("base64url"),
    y: point.subarray(33).toString("base64url"),
  };
  const publicKey = createPublicKey({ key: jwk, format: "jwk" });
  const isSigned = verify(
    "sha256",
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  return isSigned ? null : "403: bad signature";
}
