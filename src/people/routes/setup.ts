import type { FastifyRequest } from "fastify";
import { defineRoute } from "../../http/route.ts";
import { Type } from "../../lib/type.ts";
import { SESSION_HEADERS, type SetupBody, type SetupResult, type SetupStatus } from "../schema.ts";
import { needsSetup, setUpOperator, type PeopleContext, type SetupSource } from "../setup.ts";

const tags = ["Setup"];

export const getSetupStatusRoute = defineRoute({
  method: "GET",
  url: "/setup/status",
  operationId: "getSetupStatus",
  summary: "Read the setup status",
  description: "Whether the first operator has yet to be created, and how people sign in.",
  tags,
  answers: { 200: Type.Unsafe<SetupStatus>(Type.Ref("SetupStatus")) },
  errors: [],
  handle: async ({ db, config: { signIn } }: Pick<PeopleContext, "db" | "config">) => ({
    needs_setup: await needsSetup({ db }),
    sign_in: { password: signIn.passwords, oidc: signIn.oidc !== null },
  }),
});

export const setUpOperatorRoute = defineRoute({
  method: "POST",
  url: "/setup/operator",
  operationId: "setUpOperator",
  summary: "Create the first operator",
  description:
    "Works once, and signs the operator in. From another machine or through a proxy, the setup token is required.",
  tags,
  body: Type.Unsafe<SetupBody>(Type.Ref("SetupOperator")),
  answers: { 201: Type.Unsafe<SetupResult>({ ...Type.Ref("SetupResult"), headers: SESSION_HEADERS }) },
  errors: [
    "MALFORMED_REQUEST",
    "FORBIDDEN",
    "INVALID_SETUP_TOKEN",
    "SETUP_ALREADY_COMPLETED",
    "USER_ALREADY_EXISTS",
    "PAYLOAD_TOO_LARGE",
    "VALIDATION_FAILED",
    "RATE_LIMITED",
    "COMMIT_UNKNOWN",
    "OVERLOADED",
  ],
  config: () => ({ securityEvent: "setup_completed" }),
  handle: async (ctx: PeopleContext, request, reply) => {
    const { setCookies, ...result } = await setUpOperator(ctx, sourceOfSetup(request), request.body);
    return reply.code(201).header("set-cookie", setCookies).send(result);
  },
});

/** Headers that proxies and tunnels add. */
const FORWARDING_HEADERS =
  /^(forwarded|x-forwarded-.*|x-real-ip|x-client-ip|x-original-.*|via|true-client-ip|cf-.*|fly-.*|x-envoy-.*)$/;

function sourceOfSetup(request: FastifyRequest): SetupSource {
  return {
    ip: request.ip,
    userAgent: request.headers["user-agent"] ?? null,
    host: hostNameOf(request.headers.host ?? ""),
    isForwarded: Object.keys(request.headers).some((name) => FORWARDING_HEADERS.test(name)),
  };
}

function hostNameOf(host: string): string {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : "";
}
