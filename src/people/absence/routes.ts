import { defineRoute, QUERY_ERRORS, READ_ERRORS, SIGNED_IN, WRITE_ERRORS } from "../../http/route.ts";
import { Type } from "../../lib/type.ts";
import { callerOf } from "../caller.ts";
import { UserParams } from "../schema.ts";
import type { UsersContext } from "../users.ts";
import { endAbsence, listDelegates, setAbsence } from "./absences.ts";
import { ListDelegatesQuery, type AbsenceRecord, type DelegateRecord, type SetAbsenceBody } from "./schema.ts";

type Ctx = Pick<UsersContext, "db">;

const tags = ["Users"];

const setAbsenceRoute = defineRoute({
  method: "PUT",
  url: "/users/:id/absence",
  operationId: "setAbsence",
  summary: "Say when a user is away",
  description:
    "For the user themselves, and for operators. It replaces what was set before. While the user is away, a task meant for them goes to the delegate, and other choices pass over them. Tasks that they already have stay with them.",
  tags,
  credentials: SIGNED_IN,
  needsConfirmation: true,
  params: UserParams,
  body: Type.Unsafe<SetAbsenceBody>(Type.Ref("SetAbsence")),
  answers: { 200: Type.Unsafe<AbsenceRecord>(Type.Ref("Absence")) },
  errors: [...WRITE_ERRORS, "USER_NOT_FOUND", "VALIDATION_FAILED", "DELEGATION_CYCLE"],
  config: () => ({ securityEvent: "user_absence_set" }),
  handle: async (ctx: Ctx, request) => setAbsence(ctx, callerOf(request), request.params.id, request.body),
});

const endAbsenceRoute = defineRoute({
  method: "DELETE",
  url: "/users/:id/absence",
  operationId: "endAbsence",
  summary: "Say that a user is back",
  description:
    "For the user themselves, and for operators. Succeeds without an absence too. Tasks that a delegate got stay with the delegate.",
  tags,
  credentials: SIGNED_IN,
  params: UserParams,
  answers: { 204: Type.Null({ description: "The user is not away." }) },
  errors: [...WRITE_ERRORS, "USER_NOT_FOUND"],
  config: () => ({ securityEvent: "user_absence_ended" }),
  handle: async (ctx: Ctx, request, reply) => {
    await endAbsence(ctx, callerOf(request), request.params.id);
    return reply.code(204).send(null);
  },
});

const listDelegatesRoute = defineRoute({
  method: "GET",
  url: "/users/:id/delegates",
  operationId: "listDelegates",
  summary: "List who can be the delegate of a user",
  description:
    "For the user themselves, and for operators: active people of the same projects, at most 20. The present delegate comes first.",
  tags,
  credentials: SIGNED_IN,
  params: UserParams,
  querystring: ListDelegatesQuery,
  answers: {
    200: Type.Unsafe<DelegateRecord[]>({
      type: "array",
      items: Type.Ref("Delegate"),
      description: "People, by name.",
    }),
  },
  errors: [...READ_ERRORS, ...QUERY_ERRORS, "USER_NOT_FOUND"],
  handle: async (ctx: Ctx, request) => listDelegates(ctx, callerOf(request), request.params.id, request.query.q),
});

export const absenceRoutes = [setAbsenceRoute, endAbsenceRoute, listDelegatesRoute];
