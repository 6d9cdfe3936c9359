import { defineRoute, READ_ERRORS, SIGNED_IN, WRITE_ERRORS } from "../../http/route.ts";
import { Type } from "../../lib/type.ts";
import { browserOf } from "../browser.ts";
import { callerOf } from "../caller.ts";
import { SESSION_HEADERS, UserParams, type Me } from "../schema.ts";
import {
  addPasskey,
  creationOptions,
  listPasskeys,
  listPasskeysOfUser,
  removePasskey,
  renamePasskey,
  resetPasskeys,
  type PasskeyContext,
} from "./passkeys.ts";
import {
  PasskeyParams,
  type AddPasskeyBody,
  type PasskeyRecord,
  type PasskeySignInBody,
  type RenamePasskeyBody,
  type PasskeyRequestOptions,
} from "./schema.ts";
import { signInOptions, signInWithPasskey, type PasskeySignInContext } from "./sign-in.ts";

const tags = ["Sign-in"];

/** Errors of an answer that a browser gives with a passkey. */
export const PASSKEY_ERRORS = [
  "PASSKEYS_UNAVAILABLE",
  "PASSKEY_EXPIRED",
  "PASSKEY_OTHER_SITE",
  "PASSKEY_NOT_VERIFIED",
  "VALIDATION_FAILED",
  "RATE_LIMITED",
] as const;

const Passkeys = (description: string) =>
  Type.Unsafe<PasskeyRecord[]>({ type: "array", items: Type.Ref("Passkey"), description });

const passkeySignInOptionsRoute = defineRoute({
  method: "POST",
  url: "/auth/login/passkey/options",
  operationId: "getPasskeySignInOptions",
  summary: "Begin to sign in with a passkey",
  description:
    "Returns what a browser needs to ask for a passkey, the same for everyone. Sets a cookie that the sign-in must bring back.",
  tags,
  answers: { 200: Type.Unsafe<PasskeyRequestOptions>(Type.Ref("PasskeyRequestOptions")) },
  errors: ["MALFORMED_REQUEST", "FORBIDDEN", "PAYLOAD_TOO_LARGE"],
  handle: async (ctx: PasskeySignInContext, request, reply) => {
    const { setCookie, ...options } = signInOptions(ctx, browserOf(request, ctx.cookies));
    if (setCookie !== null) void reply.header("set-cookie", setCookie);
    void reply.header("cache-control", "no-store");
    return options;
  },
});

const passkeySignInRoute = defineRoute({
  method: "POST",
  url: "/auth/login/passkey",
  operationId: "signInWithPasskey",
  summary: "Sign in with a passkey",
  description:
    "Checks the answer of a passkey, and sets the session cookie. The attempts count as attempts with a password do.",
  tags,
  body: Type.Unsafe<PasskeySignInBody>(Type.Ref("PasskeySignIn")),
  answers: { 200: Type.Unsafe<Me>({ ...Type.Ref("Me"), headers: SESSION_HEADERS }) },
  errors: [
    "MALFORMED_REQUEST",
    "FORBIDDEN",
    "PASSKEY_NEEDS_PASSWORD",
    "PAYLOAD_TOO_LARGE",
    "PASSKEY_NOT_ACCEPTED",
    ...PASSKEY_ERRORS,
    "COMMIT_UNKNOWN",
  ],
  config: () => ({ securityEvent: "sign_in" }),
  handle: async (ctx: PasskeySignInContext, request, reply) => {
    const { me, setCookies } = await signInWithPasskey(ctx, browserOf(request, ctx.cookies), request.body);
    void reply.header("set-cookie", setCookies).header("cache-control", "no-store");
    return me;
  },
});

const listPasskeysRoute = defineRoute({
  method: "GET",
  url: "/auth/passkeys",
  operationId: "listPasskeys",
  summary: "List your passkeys",
  description: "The oldest first.",
  tags,
  credentials: ["session"],
  config: () => ({ allowsLimitedSession: true }),
  answers: { 200: Passkeys("Your passkeys.") },
  errors: READ_ERRORS,
  handle: async (ctx: PasskeyContext, request) => listPasskeys(ctx, callerOf(request)),
});

const creationOptionsRoute = defineRoute({
  method: "POST",
  url: "/auth/passkeys/options",
  operationId: "getPasskeyCreationOptions",
  summary: "Begin to add a passkey",
  description: "Returns what a browser needs to make a passkey for you.",
  tags,
  credentials: ["session"],
  needsConfirmation: true,
  config: () => ({ allowsLimitedSession: true }),
  answers: { 200: Type.Unsafe<{ public_key: object }>(Type.Ref("PasskeyCreationOptions")) },
  errors: [...WRITE_ERRORS, "PASSKEYS_UNAVAILABLE", "PASSKEY_NEEDS_PASSWORD", "PASSKEY_REQUIRED", "PASSKEY_LIMIT"],
  handle: async (ctx: PasskeyContext, request) => creationOptions(ctx, callerOf(request)),
});

const addPasskeyRoute = defineRoute({
  method: "POST",
  url: "/auth/passkeys",
  operationId: "addPasskey",
  summary: "Add a passkey",
  description: "You can then sign in with it. You can have up to 20.",
  tags,
  credentials: ["session"],
  needsConfirmation: true,
  config: () => ({ allowsLimitedSession: true, securityEvent: "passkey_added" }),
  body: Type.Unsafe<AddPasskeyBody>(Type.Ref("AddPasskey")),
  answers: { 201: Type.Unsafe<PasskeyRecord>(Type.Ref("Passkey")) },
  errors: [
    ...WRITE_ERRORS,
    ...PASSKEY_ERRORS,
    "PASSKEY_ALREADY_ADDED",
    "PASSKEY_NEEDS_PASSWORD",
    "PASSKEY_REQUIRED",
    "PASSKEY_LIMIT",
  ],
  handle: async (ctx: PasskeyContext, request, reply) => {
    const { passkey, setCookie } = await addPasskey(ctx, callerOf(request), request.body);
    if (setCookie !== null) void reply.header("set-cookie", setCookie);
    return reply.code(201).send(passkey);
  },
});

const renamePasskeyRoute = defineRoute({
  method: "PATCH",
  url: "/auth/passkeys/:id",
  operationId: "renamePasskey",
  summary: "Rename one of your passkeys",
  description: "Only its name changes.",
  tags,
  credentials: ["session"],
  params: PasskeyParams,
  body: Type.Unsafe<RenamePasskeyBody>(Type.Ref("RenamePasskey")),
  answers: { 200: Type.Unsafe<PasskeyRecord>(Type.Ref("Passkey")) },
  errors: [...WRITE_ERRORS, "PASSKEY_NOT_FOUND", "VALIDATION_FAILED"],
  handle: async (ctx: PasskeyContext, request) =>
    renamePasskey(ctx, callerOf(request), request.params.id, request.body),
});

const removePasskeyRoute = defineRoute({
  method: "DELETE",
  url: "/auth/passkeys/:id",
  operationId: "removePasskey",
  summary: "Remove one of your passkeys",
  description: "It can no longer be used to sign in. Your sessions go on.",
  tags,
  credentials: ["session"],
  needsConfirmation: true,
  config: () => ({ securityEvent: "passkey_removed" }),
  params: PasskeyParams,
  answers: { 204: Type.Null({ description: "Removed." }) },
  errors: [...WRITE_ERRORS, "PASSKEY_NOT_FOUND", "LAST_PASSKEY", "LAST_OPERATOR"],
  handle: async (ctx: PasskeyContext, request, reply) => {
    await removePasskey(ctx, callerOf(request), request.params.id);
    return reply.code(204).send(null);
  },
});

const listPasskeysOfUserRoute = defineRoute({
  method: "GET",
  url: "/users/:id/passkeys",
  operationId: "listPasskeysOfUser",
  summary: "List the passkeys of a user",
  description: "The oldest first. For operators and the admin token.",
  tags: ["Users"],
  credentials: SIGNED_IN,
  params: UserParams,
  answers: { 200: Passkeys("The passkeys of the user.") },
  errors: [...READ_ERRORS, "USER_NOT_FOUND"],
  handle: async (ctx: PasskeyContext, request) => listPasskeysOfUser(ctx, callerOf(request), request.params.id),
});

const resetPasskeysRoute = defineRoute({
  method: "DELETE",
  url: "/users/:id/passkeys",
  operationId: "resetPasskeys",
  summary: "Remove all passkeys of a user",
  description:
    "For a user who has lost them. Signs the user out everywhere. The user then signs in with their password or company account.",
  tags: ["Users"],
  credentials: SIGNED_IN,
  needsConfirmation: true,
  config: () => ({ securityEvent: "passkeys_reset" }),
  params: UserParams,
  answers: { 204: Type.Null({ description: "Removed." }) },
  errors: [...WRITE_ERRORS, "USER_NOT_FOUND", "LAST_PASSKEY", "LAST_OPERATOR"],
  handle: async (ctx: PasskeyContext, request, reply) => {
    await resetPasskeys(ctx, callerOf(request), request.params.id);
    return reply.code(204).send(null);
  },
});

export const passkeyRoutes = [
  passkeySignInOptionsRoute,
  passkeySignInRoute,
  listPasskeysRoute,
  creationOptionsRoute,
  addPasskeyRoute,
  renamePasskeyRoute,
  removePasskeyRoute,
  listPasskeysOfUserRoute,
  resetPasskeysRoute,
];
