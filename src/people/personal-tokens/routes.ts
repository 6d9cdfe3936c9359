import type { Db } from "../../db/database.ts";
import { defineRoute, READ_ERRORS, SIGNED_IN, WRITE_ERRORS } from "../../http/route.ts";
import { Type } from "../../lib/type.ts";
import { callerOf } from "../caller.ts";
import { UserParams } from "../schema.ts";
import {
  createPersonalToken,
  listPersonalTokens,
  listPersonalTokensOf,
  revokeAllOf,
  revokePersonalToken,
} from "./personal-tokens.ts";
import {
  PersonalTokenParams,
  type CreatePersonalTokenBody,
  type NewPersonalTokenRecord,
  type PersonalTokenRecord,
} from "./schema.ts";

const tags = ["Sign-in"];

const Tokens = (description: string) =>
  Type.Unsafe<PersonalTokenRecord[]>({ type: "array", items: Type.Ref("PersonalToken"), description });

const listPersonalTokensRoute = defineRoute({
  method: "GET",
  url: "/auth/me/tokens",
  operationId: "listPersonalTokens",
  summary: "List your personal tokens",
  description: "The oldest first.",
  tags,
  credentials: ["session"],
  answers: { 200: Tokens("Your personal tokens.") },
  errors: READ_ERRORS,
  handle: async (ctx: { db: Db }, request) => listPersonalTokens(ctx, callerOf(request)),
});

const createPersonalTokenRoute = defineRoute({
  method: "POST",
  url: "/auth/me/tokens",
  operationId: "createPersonalToken",
  summary: "Create a personal token",
  description:
    "Your own assistant answers your tasks with it at `/mcp/review`. It does nothing else. You can have up to ten.",
  tags,
  credentials: ["session"],
  needsConfirmation: true,
  config: () => ({ securityEvent: "personal_token_created" }),
  body: Type.Unsafe<CreatePersonalTokenBody>(Type.Ref("CreatePersonalToken")),
  answers: { 201: Type.Unsafe<NewPersonalTokenRecord>(Type.Ref("NewPersonalToken")) },
  errors: [...WRITE_ERRORS, "VALIDATION_FAILED", "PERSONAL_TOKEN_LIMIT"],
  handle: async (ctx: { db: Db }, request, reply) => {
    const token = await createPersonalToken(ctx, callerOf(request), request.body);
    void reply.header("cache-control", "no-store");
    return reply.code(201).send(token);
  },
});

const revokePersonalTokenRoute = defineRoute({
  method: "DELETE",
  url: "/auth/me/tokens/:id",
  operationId: "revokePersonalToken",
  summary: "Revoke one of your personal tokens",
  description: "Takes effect immediately.",
  tags,
  credentials: ["session"],
  needsConfirmation: true,
  config: () => ({ securityEvent: "personal_token_revoked" }),
  params: PersonalTokenParams,
  answers: { 204: Type.Null({ description: "Revoked." }) },
  errors: [...WRITE_ERRORS, "NOT_FOUND"],
  handle: async (ctx: { db: Db }, request, reply) => {
    await revokePersonalToken(ctx, callerOf(request), request.params.id);
    return reply.code(204).send(null);
  },
});

const listPersonalTokensOfUserRoute = defineRoute({
  method: "GET",
  url: "/users/:id/tokens",
  operationId: "listPersonalTokensOfUser",
  summary: "List the personal tokens of a user",
  description: "The oldest first. For operators and the admin token.",
  tags: ["Users"],
  credentials: SIGNED_IN,
  params: UserParams,
  answers: { 200: Tokens("The personal tokens of the user.") },
  errors: [...READ_ERRORS, "USER_NOT_FOUND"],
  handle: async (ctx: { db: Db }, request) => listPersonalTokensOf(ctx, callerOf(request), request.params.id),
});

const revokePersonalTokensOfUserRoute = defineRoute({
  method: "DELETE",
  url: "/users/:id/tokens",
  operationId: "revokePersonalTokensOfUser",
  summary: "Revoke all personal tokens of a user",
  description: "Takes effect immediately. The user's sessions go on.",
  tags: ["Users"],
  credentials: SIGNED_IN,
  needsConfirmation: true,
  config: () => ({ securityEvent: "personal_tokens_revoked" }),
  params: UserParams,
  answers: { 204: Type.Null({ description: "Revoked." }) },
  errors: [...WRITE_ERRORS, "USER_NOT_FOUND"],
  handle: async (ctx: { db: Db }, request, reply) => {
    await revokeAllOf(ctx, callerOf(request), request.params.id);
    return reply.code(204).send(null);
  },
});

export const personalTokenRoutes = [
  listPersonalTokensRoute,
  createPersonalTokenRoute,
  revokePersonalTokenRoute,
  listPersonalTokensOfUserRoute,
  revokePersonalTokensOfUserRoute,
];
