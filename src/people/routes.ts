import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { LINK_HEADERS, linkToNext } from "../http/paging.ts";
import { errors } from "../http/schema.ts";
import { ADDRESS_WANTED } from "./accounts.ts";
import { callerOf } from "./caller.ts";
import {
  CreateServiceKeyBody,
  CreateUserBody,
  ListServiceKeysQuery,
  ListUsersQuery,
  LoginBody,
  Me,
  NewServiceKeyRecord,
  ServiceKeyParams,
  ServiceKeyRecord,
  SetupBody,
  SetupResult,
  SetupStatus,
  UpdateMeBody,
  UpdateUserBody,
  UserParams,
  UserRecord,
} from "./schema.ts";
import { createServiceKey, listServiceKeys, revokeServiceKey } from "./service-keys.ts";
import { needsSetup, setUpOperator, type SetupSource, type PeopleContext } from "./setup.ts";
import { changeMe, signIn, signOut, readMe } from "./sign-in.ts";
import { changeUser, createUser, deactivateUser, listDirectory, readUser } from "./users.ts";

const security = [{ bearer: [] }, { session: [] }];
const sessionOnly = [{ session: [] }];
const SESSION_HEADERS = {
  "Set-Cookie": { description: "The session, as `service_session`.", schema: { type: "string" } },
};

/** First run, signing in, the directory and service keys. (spec: Setup, Auth, Users; wire: Service keys) */
export const peopleRoutes: FastifyPluginAsyncTypebox<{ ctx: PeopleContext }> = async (app, { ctx }) => {
  app.get(
    "/setup/status",
    {
      schema: {
        operationId: "getSetupStatus",
        summary: "Is set-up still to be done?",
        tags: ["setup"],
        response: { 200: Type.Unsafe<SetupStatus>(Type.Ref("SetupStatus")), ...errors() },
      },
    },
    async () => ({ needs_setup: await needsSetup(ctx) }),
  );

  app.post(
    "/setup/operator",
    {
      schema: {
        operationId: "setUpOperator",
        summary: "Make the first operator",
        description:
          "Once. Signs the operator in. From another machine, or through a proxy, it takes the set-up token.",
        tags: ["setup"],
        body: Type.Unsafe<SetupBody>(Type.Ref("SetupOperator")),
        response: {
          201: Type.Unsafe<SetupResult>({ ...Type.Ref("SetupResult"), headers: SESSION_HEADERS }),
          ...errors(
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
          ),
        },
      },
    },
    async (request, reply) => {
      const { setCookie, ...result } = await setUpOperator(ctx, sourceOfSetup(request), request.body);
      return reply.code(201).header("set-cookie", setCookie).send(result);
    },
  );

  app.post(
    "/auth/login",
    {
      schema: {
        operationId: "signIn",
        summary: "Sign in",
        tags: ["auth"],
        body: Type.Unsafe<LoginBody>(Type.Ref("Login")),
        response: {
          200: Type.Unsafe<Me>({ ...Type.Ref("Me"), headers: SESSION_HEADERS }),
          ...errors(
            "MALFORMED_REQUEST",
            "INVALID_CREDENTIALS",
            "FORBIDDEN",
            "PAYLOAD_TOO_LARGE",
            "VALIDATION_FAILED",
            "RATE_LIMITED",
            "COMMIT_UNKNOWN",
            "OVERLOADED",
          ),
        },
      },
    },
    async (request, reply) => {
      const { me, setCookie } = await signIn(ctx, request.ip, request.body);
      void reply.header("set-cookie", setCookie).header("cache-control", "no-store");
      return me;
    },
  );

  app.post(
    "/auth/logout",
    {
      config: { resolveCaller: true },
      schema: {
        operationId: "signOut",
        summary: "Sign out",
        description: "Ends the session. Without one there is nothing to end, and that is no error.",
        tags: ["auth"],
        response: {
          204: Type.Null({ description: "The session is over." }),
          ...errors("MALFORMED_REQUEST", "FORBIDDEN", "PAYLOAD_TOO_LARGE", "COMMIT_UNKNOWN"),
        },
      },
    },
    async (request, reply) => {
      await signOut(ctx, request.caller);
      return reply.code(204).header("set-cookie", ctx.cookies.forget).send(null);
    },
  );

  app.get(
    "/auth/me",
    {
      config: { resolveCaller: true },
      schema: {
        operationId: "getMe",
        summary: "Who is signed in?",
        description: "200 for everybody; `authenticated` is false for nobody.",
        tags: ["auth"],
        response: { 200: Type.Unsafe<Me>(Type.Ref("Me")), ...errors() },
      },
    },
    async (request, reply) => {
      void reply.header("cache-control", "no-store");
      return readMe(request.caller);
    },
  );

  app.patch(
    "/auth/me",
    {
      schema: {
        operationId: "updateMe",
        summary: "Change your own name, time zone or password",
        tags: ["auth"],
        security: sessionOnly,
        body: Type.Unsafe<UpdateMeBody>(Type.Ref("UpdateMe")),
        response: {
          200: Type.Unsafe<Me>(Type.Ref("Me")),
          ...errors(
            "MALFORMED_REQUEST",
            "UNAUTHENTICATED",
            "FORBIDDEN",
            "PAYLOAD_TOO_LARGE",
            "VALIDATION_FAILED",
            "RATE_LIMITED",
            "COMMIT_UNKNOWN",
            "OVERLOADED",
          ),
        },
      },
    },
    async (request, reply) => {
      const { me, setCookie } = await changeMe(ctx, callerOf(request), request.body);
      if (setCookie !== null) void reply.header("set-cookie", setCookie);
      return me;
    },
  );

  app.get(
    "/users",
    {
      schema: {
        operationId: "listUsers",
        summary: "List users",
        description: 'Newest first. The header `Link` with `rel="next"` leads to the next page.',
        tags: ["users"],
        security,
        querystring: ListUsersQuery,
        response: {
          200: Type.Unsafe<UserRecord[]>({
            type: "array",
            items: Type.Ref("User"),
            description: "One page of users.",
            headers: LINK_HEADERS,
          }),
          ...errors("MALFORMED_REQUEST", "UNAUTHENTICATED", "FORBIDDEN", "VALIDATION_FAILED"),
        },
      },
    },
    async (request, reply) => {
      const { rows, next } = await listDirectory(ctx, callerOf(request), request.query);
      if (next !== null) void reply.header("link", linkToNext("/api/users", request.url, next));
      return rows;
    },
  );

  app.post(
    "/users",
    {
      schema: {
        operationId: "createUser",
        summary: "Create a user",
        description: ADDRESS_WANTED,
        tags: ["users"],
        security,
        body: Type.Unsafe<CreateUserBody>(Type.Ref("CreateUser")),
        response: {
          201: Type.Unsafe<UserRecord>(Type.Ref("User")),
          ...errors(
            "MALFORMED_REQUEST",
            "UNAUTHENTICATED",
            "FORBIDDEN",
            "USER_ALREADY_EXISTS",
            "PAYLOAD_TOO_LARGE",
            "VALIDATION_FAILED",
            "USER_NO_ADDRESS",
            "COMMIT_UNKNOWN",
            "OVERLOADED",
          ),
        },
      },
    },
    async (request, reply) => reply.code(201).send(await createUser(ctx, callerOf(request), request.body)),
  );

  app.get(
    "/users/:id",
    {
      schema: {
        operationId: "getUser",
        summary: "Read a user",
        tags: ["users"],
        security,
        params: UserParams,
        response: {
          200: Type.Unsafe<UserRecord>(Type.Ref("User")),
          ...errors("UNAUTHENTICATED", "FORBIDDEN", "USER_NOT_FOUND"),
        },
      },
    },
    async (request) => readUser(ctx, callerOf(request), request.params.id),
  );

  app.patch(
    "/users/:id",
    {
      schema: {
        operationId: "updateUser",
        summary: "Change a user",
        description:
          "What is left out stays; `null` clears. Deactivating, demoting or setting a password ends that user's sessions.",
        tags: ["users"],
        security,
        params: UserParams,
        body: Type.Unsafe<UpdateUserBody>(Type.Ref("UpdateUser")),
        response: {
          200: Type.Unsafe<UserRecord>(Type.Ref("User")),
          ...errors(
            "MALFORMED_REQUEST",
            "UNAUTHENTICATED",
            "FORBIDDEN",
            "USER_NOT_FOUND",
            "USER_ALREADY_EXISTS",
            "LAST_OPERATOR",
            "PAYLOAD_TOO_LARGE",
            "VALIDATION_FAILED",
            "USER_NO_ADDRESS",
            "COMMIT_UNKNOWN",
            "OVERLOADED",
          ),
        },
      },
    },
    async (request) => changeUser(ctx, callerOf(request), request.params.id, request.body),
  );

  app.delete(
    "/users/:id",
    {
      schema: {
        operationId: "deleteUser",
        summary: "Deactivate a user",
        description: "The user stays on record, is signed out everywhere, and the address stays taken.",
        tags: ["users"],
        security,
        params: UserParams,
        response: {
          200: Type.Unsafe<UserRecord>(Type.Ref("User")),
          ...errors(
            "MALFORMED_REQUEST",
            "UNAUTHENTICATED",
            "FORBIDDEN",
            "USER_NOT_FOUND",
            "LAST_OPERATOR",
            "PAYLOAD_TOO_LARGE",
            "COMMIT_UNKNOWN",
          ),
        },
      },
    },
    async (request) => deactivateUser(ctx, callerOf(request), request.params.id),
  );

  app.get(
    "/service-keys",
    {
      schema: {
        operationId: "listServiceKeys",
        summary: "List service keys",
        description: "Newest first, revoked ones included; the keys themselves are not kept.",
        tags: ["service keys"],
        security,
        querystring: ListServiceKeysQuery,
        response: {
          200: Type.Unsafe<ServiceKeyRecord[]>({
            type: "array",
            items: Type.Ref("ServiceKey"),
            description: "One page of keys.",
            headers: LINK_HEADERS,
          }),
          ...errors("MALFORMED_REQUEST", "UNAUTHENTICATED", "FORBIDDEN", "VALIDATION_FAILED"),
        },
      },
    },
    async (request, reply) => {
      const { rows, next } = await listServiceKeys(ctx, callerOf(request), request.query);
      if (next !== null) void reply.header("link", linkToNext("/api/service-keys", request.url, next));
      return rows;
    },
  );

  app.post(
    "/service-keys",
    {
      schema: {
        operationId: "createServiceKey",
        summary: "Make a service key",
        description: "`key` is in this answer and in no other.",
        tags: ["service keys"],
        security,
        body: Type.Unsafe<CreateServiceKeyBody>(Type.Ref("CreateServiceKey")),
        response: {
          201: Type.Unsafe<NewServiceKeyRecord>(Type.Ref("NewServiceKey")),
          ...errors(
            "MALFORMED_REQUEST",
            "UNAUTHENTICATED",
            "FORBIDDEN",
            "PAYLOAD_TOO_LARGE",
            "VALIDATION_FAILED",
            "COMMIT_UNKNOWN",
          ),
        },
      },
    },
    async (request, reply) => reply.code(201).send(await createServiceKey(ctx, callerOf(request), request.body)),
  );

  app.delete(
    "/service-keys/:id",
    {
      schema: {
        operationId: "revokeServiceKey",
        summary: "Revoke a service key",
        description: "At once, together with every embed token it made.",
        tags: ["service keys"],
        security,
        params: ServiceKeyParams,
        response: {
          204: Type.Null({ description: "It opens nothing any more." }),
          ...errors(
            "MALFORMED_REQUEST",
            "UNAUTHENTICATED",
            "FORBIDDEN",
            "NOT_FOUND",
            "PAYLOAD_TOO_LARGE",
            "COMMIT_UNKNOWN",
          ),
        },
      },
    },
    async (request, reply) => {
      await revokeServiceKey(ctx, callerOf(request), request.params.id);
      return reply.code(204).send(null);
    },
  );
};

/** What proxies and tunnels add to a request that they pass on. */
const FORWARDING_HEADERS =
  /^(forwarded|x-forwarded-.*|x-real-ip|x-client-ip|x-original-.*|via|true-client-ip|cf-.*|fly-.*|x-envoy-.*)$/;

function sourceOfSetup(request: FastifyRequest): SetupSource {
  return {
    ip: request.ip,
    host: hostNameOf(request.headers.host ?? ""),
    isForwarded: Object.keys(request.headers).some((name) => FORWARDING_HEADERS.test(name)),
  };
}

function hostNameOf(host: string): string {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : "";
}

/** Shapes that other shapes refer to by name. */
export const peopleShapes = [
  SetupStatus,
  SetupBody,
  SetupResult,
  LoginBody,
  Me,
  UpdateMeBody,
  UserRecord,
  CreateUserBody,
  UpdateUserBody,
  ServiceKeyRecord,
  NewServiceKeyRecord,
  CreateServiceKeyBody,
];
