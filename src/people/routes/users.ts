import { linkToNext } from "../../http/paging.ts";
import { pageOf } from "../../http/schema.ts";
import { defineRoute, QUERY_ERRORS, READ_ERRORS, SIGNED_IN, WRITE_ERRORS } from "../../http/route.ts";
import { Type } from "../../lib/type.ts";
import { ADDRESS_WANTED } from "../account-schema.ts";
import { callerOf } from "../caller.ts";
import { ListUsersQuery, UserParams, type CreateUserBody, type UpdateUserBody, type UserRecord } from "../schema.ts";
import {
  changeUser,
  createUser,
  deactivateUser,
  listDirectory,
  readUser,
  unlinkUser,
  type UsersContext,
} from "../users.ts";

const tags = ["Users"];

export const listUsersRoute = defineRoute({
  method: "GET",
  url: "/users",
  operationId: "listUsers",
  summary: "List users",
  description: 'Newest first. The `Link` header with `rel="next"` is the address of the next page.',
  tags,
  credentials: SIGNED_IN,
  querystring: ListUsersQuery,
  answers: {
    200: pageOf<UserRecord>("User", "One page of users."),
  },
  errors: [...READ_ERRORS, ...QUERY_ERRORS, "PROJECT_NOT_FOUND"],
  handle: async (ctx: UsersContext, request, reply) => {
    const { rows, next } = await listDirectory(ctx, callerOf(request), request.query);
    if (next !== null) void reply.header("link", linkToNext("/api/users", request.url, next));
    return rows;
  },
});

export const createUserRoute = defineRoute({
  method: "POST",
  url: "/users",
  operationId: "createUser",
  summary: "Create a user",
  description: ADDRESS_WANTED,
  tags,
  credentials: SIGNED_IN,
  needsConfirmation: true,
  body: Type.Unsafe<CreateUserBody>(Type.Ref("CreateUser")),
  answers: { 201: Type.Unsafe<UserRecord>(Type.Ref("User")) },
  errors: [...WRITE_ERRORS, "USER_ALREADY_EXISTS", "VALIDATION_FAILED", "USER_NO_ADDRESS", "OVERLOADED"],
  config: () => ({ securityEvent: "user_created" }),
  handle: async (ctx: UsersContext, request, reply) =>
    reply.code(201).send(await createUser(ctx, callerOf(request), request.body)),
});

export const getUserRoute = defineRoute({
  method: "GET",
  url: "/users/:id",
  operationId: "getUser",
  summary: "Read a user",
  description: "One person of the directory, active or not. For operators and the admin token.",
  tags,
  credentials: SIGNED_IN,
  params: UserParams,
  answers: { 200: Type.Unsafe<UserRecord>(Type.Ref("User")) },
  errors: [...READ_ERRORS, "USER_NOT_FOUND"],
  handle: async (ctx: UsersContext, request) => readUser(ctx, callerOf(request), request.params.id),
});

export const updateUserRoute = defineRoute({
  method: "PATCH",
  url: "/users/:id",
  operationId: "updateUser",
  summary: "Change a user",
  description:
    "Omitted fields are unchanged, and `null` clears a field. Deactivating a user, removing operator rights and setting a password end the sessions of the user.",
  tags,
  credentials: SIGNED_IN,
  needsConfirmation: true,
  params: UserParams,
  body: Type.Unsafe<UpdateUserBody>(Type.Ref("UpdateUser")),
  answers: { 200: Type.Unsafe<UserRecord>(Type.Ref("User")) },
  errors: [
    ...WRITE_ERRORS,
    "USER_NOT_FOUND",
    "USER_ALREADY_EXISTS",
    "LAST_OPERATOR",
    "VALIDATION_FAILED",
    "USER_NO_ADDRESS",
    "OVERLOADED",
  ],
  config: () => ({ securityEvent: "user_changed" }),
  handle: async (ctx: UsersContext, request) => changeUser(ctx, callerOf(request), request.params.id, request.body),
});

export const unlinkUserRoute = defineRoute({
  method: "DELETE",
  url: "/users/:id/oidc-accounts",
  operationId: "unlinkUser",
  summary: "Remove the company accounts of a user",
  description:
    "Signs the user out everywhere. At the next sign-in with a company account, its verified email decides again who it is.",
  tags,
  credentials: SIGNED_IN,
  needsConfirmation: true,
  params: UserParams,
  answers: { 204: Type.Null({ description: "Removed." }) },
  errors: [...WRITE_ERRORS, "USER_NOT_FOUND", "LAST_OPERATOR"],
  config: () => ({ securityEvent: "user_oidc_unlinked" }),
  handle: async (ctx: UsersContext, request, reply) => {
    await unlinkUser(ctx, callerOf(request), request.params.id);
    return reply.code(204).send(null);
  },
});

export const deleteUserRoute = defineRoute({
  method: "DELETE",
  url: "/users/:id",
  operationId: "deleteUser",
  summary: "Deactivate a user",
  description: "Signs the user out everywhere. The user stays in the directory and keeps the email.",
  tags,
  credentials: SIGNED_IN,
  needsConfirmation: true,
  params: UserParams,
  answers: { 200: Type.Unsafe<UserRecord>(Type.Ref("User")) },
  errors: [...WRITE_ERRORS, "USER_NOT_FOUND", "LAST_OPERATOR"],
  config: () => ({ securityEvent: "user_deactivated" }),
  handle: async (ctx: UsersContext, request) => deactivateUser(ctx, callerOf(request), request.params.id),
});
