import type { Db } from "../db/database.ts";
import { OwnProjectQuery } from "../http/schema.ts";
import { defineRoute, mount, QUERY_ERRORS, READ_ERRORS, SIGNED_IN, WRITE_ERRORS } from "../http/route.ts";
import { Type } from "../lib/type.ts";
import { callerOf } from "../people/caller.ts";
import type { Notifier } from "../tasks/notices.ts";
import { SetTemplateBody, TemplateParams, TemplateRecord } from "./schema.ts";
import { deleteTemplate, listTemplates, readTemplate, setTemplate } from "./templates.ts";

const tags = ["Escalation"];
const Template = Type.Unsafe<TemplateRecord>(Type.Ref("EscalationTemplate"));

interface Ctx {
  db: Db;
  notifier: Notifier;
}

const listTemplatesRoute = defineRoute({
  method: "GET",
  url: "/escalations",
  operationId: "listEscalationTemplates",
  summary: "List the templates of a project",
  description: "By name, built-in ones included. For operators of the project, and for agents with the scope `ask`.",
  tags,
  credentials: SIGNED_IN,
  querystring: OwnProjectQuery,
  answers: {
    200: Type.Unsafe<TemplateRecord[]>({
      type: "array",
      items: Type.Ref("EscalationTemplate"),
      description: "The templates.",
    }),
  },
  errors: [...READ_ERRORS, ...QUERY_ERRORS, "PROJECT_NOT_FOUND"],
  handle: async (ctx: Ctx, request) => listTemplates(ctx, callerOf(request), request.query),
});

const getTemplateRoute = defineRoute({
  method: "GET",
  url: "/escalations/:name",
  operationId: "getEscalationTemplate",
  summary: "Read a template",
  description: "For operators of its project, and for agents with the scope `ask`.",
  tags,
  credentials: SIGNED_IN,
  params: TemplateParams,
  querystring: OwnProjectQuery,
  answers: { 200: Template },
  errors: [...READ_ERRORS, ...QUERY_ERRORS, "PROJECT_NOT_FOUND", "TEMPLATE_NOT_FOUND"],
  handle: async (ctx: Ctx, request) => readTemplate(ctx, callerOf(request), request.params.name, request.query),
});

const setTemplateRoute = defineRoute({
  method: "PUT",
  url: "/escalations/:name",
  operationId: "setEscalationTemplate",
  summary: "Create or replace a template",
  description:
    "For operators of the project. 201 if the template is new, 200 if it was replaced. Tasks keep the steps that they were created with.",
  tags,
  credentials: SIGNED_IN,
  params: TemplateParams,
  querystring: OwnProjectQuery,
  body: Type.Unsafe<SetTemplateBody>(Type.Ref("SetEscalationTemplate")),
  answers: { 200: Template, 201: Template },
  errors: [...WRITE_ERRORS, "VALIDATION_FAILED", "PROJECT_NOT_FOUND", "PROJECT_ARCHIVED"],
  config: () => ({ securityEvent: "escalation_template_set" }),
  handle: async (ctx: Ctx, request, reply) => {
    const { params, query, body } = request;
    const { template, isNew } = await setTemplate(ctx, callerOf(request), params.name, query, body);
    return reply.code(isNew ? 201 : 200).send(template);
  },
});

const deleteTemplateRoute = defineRoute({
  method: "DELETE",
  url: "/escalations/:name",
  operationId: "deleteEscalationTemplate",
  summary: "Delete a template",
  description: "For operators of its project. A built-in template of the same name counts again.",
  tags,
  credentials: SIGNED_IN,
  params: TemplateParams,
  querystring: OwnProjectQuery,
  answers: { 204: Type.Null({ description: "Deleted." }) },
  errors: [...WRITE_ERRORS, "VALIDATION_FAILED", "PROJECT_NOT_FOUND", "TEMPLATE_NOT_FOUND"],
  config: () => ({ securityEvent: "escalation_template_deleted" }),
  handle: async (ctx: Ctx, request, reply) => {
    await deleteTemplate(ctx, callerOf(request), request.params.name, request.query);
    return reply.code(204).send(null);
  },
});

/** Steps that tasks choose by a name. (beyond the spec: In time) */
export const templateRoutes = mount<Ctx>([listTemplatesRoute, getTemplateRoute, setTemplateRoute, deleteTemplateRoute]);

/** Shapes that other shapes refer to by name. */
export const templateShapes = [TemplateRecord, SetTemplateBody];
