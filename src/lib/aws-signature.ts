import { createHmac, hash } from "node:crypto";

export interface AwsKeys {
  accessKeyId: string;
  secretAccessKey: string;
  /** Of temporary keys; null: the keys are not temporary. */
  sessionToken: string | null;
}

export interface AwsRequest {
  method: string;
  /** Without a query. */
  url: string;
  /** All of them are signed. */
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
}

const ALGORITHM = "AWS4-HMAC-SHA256";

/**
 * Returns the headers to send: those given, and the signature. (AWS: "Create a signed AWS API request", Signature Version 4)
 *
 * Written by hand because it is three hashes and five HMACs of a documented text with test vectors, while `@smithy/signature-v4`, which AWS
 * maintains, brings 7 MB.
 *
 * @param service - the name in the scope of the signature, for example `states`
 * @param now - epoch milliseconds. AWS refuses requests from more than some minutes ago, or later than now
 */
export function signAwsRequest(
  { method, url, headers, body }: AwsRequest,
  { keys, region, service, now }: { keys: AwsKeys; region: string; service: string; now: number },
): Record<string, string> {
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, "");
  const sent: Record<string, string> = {
    ...headers,
    "X-Amz-Date": time,
    ...(keys.sessionToken !== null && { "X-Amz-Security-Token": keys.sessionToken }),
  };
  const { host, pathname } = new URL(url);
  const signed = Object.entries({ ...sent, host })
    .map(([name, value]) => [name.toLowerCase(), value.trim().replace(/ +/g, " ")] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(";");
  const canonical = [
    method,
    // It is encoded once in the address, and again here, as all services but S3 want it.
    pathname.split("/").map(encode).join("/"),
    "",
    ...signed.map((header) => header.join(":")),
    "",
    names,
    hash("sha256", body),
  ].join("\n");

  const day = time.slice(0, 8);
  const scope = [day, region, service, "aws4_request"];
  const toSign = [ALGORITHM, time, scope.join("/"), hash("sha256", canonical)].join("\n");
  const key = scope.reduce<string | Buffer>((from, part) => mac(from, part).digest(), `AWS4${keys.secretAccessKey}`);
  const signature = mac(key, toSign).digest("hex");
  const credential = `${keys.accessKeyId}/${scope.join("/")}`;
  return {
    ...sent,
    Authorization: `${ALGORITHM} Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

const mac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text);

/** Encodes all but the unreserved characters of RFC 3986. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}
