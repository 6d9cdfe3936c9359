import assert from "node:assert/strict";
import { test } from "node:test";
import { signAwsRequest, type AwsKeys } from "./aws-signature.ts";

const KEYS: AwsKeys = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  sessionToken: null,
};
const AT = Date.parse("2015-08-30T12:36:00Z");

const signatureOf = (headers: Record<string, string>) => /Signature=(\w{64})$/.exec(headers["Authorization"]!)?.[1];

void test("requests are signed as in the test suite of AWS", () => {
  const sign = (method: string, path: string, { headers = {}, body = "", sessionToken = null as string | null } = {}) =>
    signAwsRequest(
      { method, url: `https://example.amazonaws.com${path}`, headers, body: Buffer.from(body) },
      { keys: { ...KEYS, sessionToken }, region: "us-east-1", service: "service", now: AT },
    );
  // aws-sig-v4-test-suite: get-vanilla, post-vanilla, post-x-www-form-urlencoded, get-header-value-trim.
  assert.deepEqual(sign("GET", "/"), {
    "X-Amz-Date": "20150830T123600Z",
    Authorization:
      "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
  });
  assert.equal(signatureOf(sign("POST", "/")), "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b");
  const form = { headers: { "Content-Type": "application/x-www-form-urlencoded" }, body: "Param1=value1" };
  assert.equal(
    signatureOf(sign("POST", "/", form)),
    "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
  );
  const spaces = { headers: { "My-Header1": " value1", "My-Header2": ' "a   b   c"' } };
  assert.equal(
    signatureOf(sign("GET", "/", spaces)),
    "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
  );
  // post-sts-header-before: the keys are temporary.
  const sessionToken =
    "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==";
  assert.equal(
    signatureOf(sign("POST", "/", { sessionToken })),
    "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead",
  );
  // Made by @smithy/signature-v4 5.7.5: parts of a path are encoded twice.
  assert.equal(
    signatureOf(sign("POST", "/a(b)!*'c/", { body: "x" })),
    "cad99a68e2e7113198703a03e896a2615a4e98684597c5ae0ba694e62d839969",
  );
  assert.equal(
    signatureOf(sign("GET", "/%E1%88%B4")),
    "697b34846207a3f72246f99d74ae1ee4fe54f44bb06730c58a0d339eb079596d",
  );
});

void test("a request that the SDK of AWS has signed gets the same signature", () => {
  // Sent by @aws-sdk/client-sfn 3.1163.0.
  const headers = {
    "content-type": "application/x-amz-json-1.0",
    "x-amz-target": "AWSStepFunctions.SendTaskSuccess",
    "content-length": "93",
    "x-amz-user-agent": "aws-sdk-js/3.1163.0",
    "amz-sdk-invocation-id": "0713230f-b770-424e-8e3c-87c742445b87",
    "amz-sdk-request": "attempt=1; max=1",
    "x-amz-content-sha256": "936f236a8b599cd77ea508825b7807dd04db5427fe259494b32cb37c513a29b8",
  };
  const body = '{"taskToken":"AAAAKgAAAAIAAAAAAAAAAexample","output":"{\\"approved\\":true,\\"name\\":\\"Zoë\\"}"}';
  const signed = signAwsRequest(
    { method: "POST", url: "http://127.0.0.1:45123/", headers, body: Buffer.from(body) },
    {
      keys: { ...KEYS, sessionToken: "FwoGZXIvYXdzEBYaD/example+token==" },
      region: "eu-central-1",
      service: "states",
      now: Date.parse("2026-11-27T17:51:33Z"),
    },
  );
  assert.equal(
    signed["Authorization"],
    "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261127/eu-central-1/states/aws4_request, SignedHeaders=amz-sdk-invocation-id;amz-sdk-request;content-length;content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token;x-amz-target;x-amz-user-agent, Signature=658146bf29a0d992becd30b0de7d40ebf44cf6933120ff99b15035cbc6eab548",
  );
});
