import type { Db } from "../db/database.ts";
import { defineRoute, mount, QUERY_ERRORS, READ_ERRORS, WRITE_ERRORS } from "../http/route.ts";
import { InProjectQuery } from "../http/schema.ts";
import { Type } from "../lib/type.ts";
import { callerOf } from "../people/caller.ts";
import { CountedViewRecord, CreateViewBody, UpdateViewBody, ViewFilter, ViewParams, ViewRecord } from "./schema.ts";
import { createView, deleteView, listViews, updateView } from "./views.ts";

const tags = ["Views"];
const View = Type.Unsafe<ViewRecord>(Type.Ref("View"));

const listViewsRoute = defineRoute({
  method: "GET",
  url: "/views",
  operationId: "listViews",
  summary: "List your saved views",
  description:
    "Your own, and then those that your projects share, at most 100, each with the number of tasks that it shows to you. `project` leaves out those of other projects, and what is counted is in it. For signed-in people.",
  tags,
  credentials: ["session"],
  querystring: InProjectQuery,
  answers: {
    200: Type.Unsafe<CountedViewRecord[]>({
      type: "array",
      items: Type.Ref("CountedView"),
      description: "The views, in their order.",
    }),
  },
  errors: [...READ_ERRORS, ...QUERY_ERRORS, "PROJECT_NOT_FOUND"],
  handle: async (ctx: { db: Db }, request) => listViews(ctx, callerOf(request), request.query.project),
});

const createViewRoute = defineRoute({
  method: "POST",
  url: "/views",
  operationId: "createView",
  summary: "Save a view",
  description:
    "Saves what a list of tasks shows under a name. You can have 30. Operators share up to 20 in a project: everyone in it sees them, each with their own tasks.",
  tags,
  credentials: ["session"],
  body: Type.Unsafe<CreateViewBody>(Type.Ref("CreateView")),
  answers: { 201: View },
  errors: [...WRITE_ERRORS, "VALIDATION_FAILED", "PROJECT_ARCHIVED"],
  handle: async (ctx: { db: Db }, request, reply) =>
    reply.code(201).send(await createView(ctx, callerOf(request), request.body)),
});

const updateViewRoute = defineRoute({
  method: "PATCH",
  url: "/views/:id",
  operationId: "updateView",
  summary: "Change a view",
  description:
    "Renames it, moves it, or replaces what it shows, for its person, or for operators of the project that shares it.",
  tags,
  credentials: ["session"],
  params: ViewParams,
  body: Type.Unsafe<UpdateViewBody>(Type.Ref("UpdateView")),
  answers: { 200: View },
  errors: [...WRITE_ERRORS, "VALIDATION_FAILED", "NOT_FOUND"],
  handle: async (ctx: { db: Db }, request) => updateView(ctx, callerOf(request), request.params.id, request.body),
});

const deleteViewRoute = defineRoute({
  method: "DELETE",
  url: "/views/:id",
  operationId: "deleteView",
  summary: "Delete a view",
  description: "For its person, or for operators of the project that shares it. Its tasks stay.",
  tags,
  credentials: ["session"],
  params: ViewParams,
  answers: { 204: Type.Null({ description: "Deleted." }) },
  errors: [...WRITE_ERRORS, "NOT_FOUND"],
  handle: async (ctx: { db: Db }, request, reply) => {
    await deleteView(ctx, callerOf(request), request.params.id);
    return reply.code(204).send(null);
  },
});

/** Lists of tasks that people save under a name. (beyond the spec: Saved views) */
export const viewRoutes = mount<{ db: Db }>([listViewsRoute, createViewRoute, updateViewRoute, deleteViewRoute]);

/** Shapes that other shapes refer to by name. */
export const viewShapes = [ViewFilter, ViewRecord, CountedViewRecord, CreateViewBody, UpdateViewBody];
