import type { Db } from "../db/database.ts";
import { defineRoute, mount, READ_ERRORS, SIGNED_IN, WRITE_ERRORS } from "../http/route.ts";
import { Type } from "../lib/type.ts";
import { callerOf } from "../people/caller.ts";
import { listMembers, removeMember, setMember } from "./members.ts";
import { createProject, listProjects, readProject, updateProject } from "./projects.ts";
import {
  CreateProjectBody,
  MemberParams,
  MembershipRecord,
  ProjectParams,
  ProjectRecord,
  SetMemberBody,
  UpdateProjectBody,
} from "./schema.ts";

const tags = ["Projects"];
const Project = Type.Unsafe<ProjectRecord>(Type.Ref("Project"));
const Member = Type.Unsafe<MembershipRecord>(Type.Ref("ProjectMember"));

const listProjectsRoute = defineRoute({
  method: "GET",
  url: "/projects",
  operationId: "listProjects",
  summary: "List projects",
  description:
    "The projects of the caller, by slug, archived ones included. The admin token and operators of all see every project.",
  tags,
  credentials: SIGNED_IN,
  answers: {
    200: Type.Unsafe<ProjectRecord[]>({ type: "array", items: Type.Ref("Project"), description: "The projects." }),
  },
  errors: ["UNAUTHENTICATED"],
  handle: async (ctx: { db: Db }, request) => listProjects(ctx, callerOf(request)),
});

const createProjectRoute = defineRoute({
  method: "POST",
  url: "/projects",
  operationId: "createProject",
  summary: "Create a project",
  description: "For the admin token and operators of all projects.",
  tags,
  credentials: SIGNED_IN,
  needsConfirmation: true,
  body: Type.Unsafe<CreateProjectBody>(Type.Ref("CreateProject")),
  answers: { 201: Project },
  errors: [...WRITE_ERRORS, "VALIDATION_FAILED", "PROJECT_ALREADY_EXISTS"],
  config: () => ({ securityEvent: "project_created" }),
  handle: async (ctx: { db: Db }, request, reply) =>
    reply.code(201).send(await createProject(ctx, callerOf(request), request.body)),
});

const getProjectRoute = defineRoute({
  method: "GET",
  url: "/projects/:slug",
  operationId: "getProject",
  summary: "Read a project",
  description: "For everyone who is in it.",
  tags,
  credentials: SIGNED_IN,
  params: ProjectParams,
  answers: { 200: Project },
  errors: [...READ_ERRORS, "PROJECT_NOT_FOUND"],
  handle: async (ctx: { db: Db }, request) => readProject(ctx, callerOf(request), request.params.slug),
});

const updateProjectRoute = defineRoute({
  method: "PATCH",
  url: "/projects/:slug",
  operationId: "updateProject",
  summary: "Change or archive a project",
  description:
    "Fields that are left out stay. An archived project accepts nothing new, and its open tasks can still be answered. Its operators rename it. Only operators of all projects archive it or change `recipients`.",
  tags,
  credentials: SIGNED_IN,
  needsConfirmation: true,
  params: ProjectParams,
  body: Type.Unsafe<UpdateProjectBody>(Type.Ref("UpdateProject")),
  answers: { 200: Project },
  errors: [...WRITE_ERRORS, "VALIDATION_FAILED", "PROJECT_NOT_FOUND"],
  config: () => ({
    securityEvent: (body) => {
      const { archived } = (body ?? {}) as { archived?: unknown };
      if (archived === true) return "project_archived";
      return archived === false ? "project_unarchived" : "project_changed";
    },
  }),
  handle: async (ctx: { db: Db }, request) => updateProject(ctx, callerOf(request), request.params.slug, request.body),
});

const listMembersRoute = defineRoute({
  method: "GET",
  url: "/projects/:slug/members",
  operationId: "listProjectMembers",
  summary: "List the people of a project",
  description: "Its active members and operators. For operators of the project.",
  tags,
  credentials: SIGNED_IN,
  params: ProjectParams,
  answers: {
    200: Type.Unsafe<MembershipRecord[]>({
      type: "array",
      items: Type.Ref("ProjectMember"),
      description: "The people.",
    }),
  },
  errors: [...READ_ERRORS, "PROJECT_NOT_FOUND"],
  handle: async (ctx: { db: Db }, request) => listMembers(ctx, callerOf(request), request.params.slug),
});

const setMemberRoute = defineRoute({
  method: "POST",
  url: "/projects/:slug/members",
  operationId: "setProjectMember",
  summary: "Add a person to a project",
  description: "Or changes the role of one who is in it. For operators of the project.",
  tags,
  credentials: SIGNED_IN,
  needsConfirmation: true,
  params: ProjectParams,
  body: Type.Unsafe<SetMemberBody>(Type.Ref("SetProjectMember")),
  answers: { 201: Member },
  errors: [...WRITE_ERRORS, "VALIDATION_FAILED", "PROJECT_NOT_FOUND", "USER_NOT_FOUND"],
  config: () => ({ securityEvent: "project_member_set" }),
  handle: async (ctx: { db: Db }, request, reply) =>
    reply.code(201).send(await setMember(ctx, callerOf(request), request.params.slug, request.body)),
});

const removeMemberRoute = defineRoute({
  method: "DELETE",
  url: "/projects/:slug/members/:user_id",
  operationId: "removeProjectMember",
  summary: "Remove a person from a project",
  description: "Open tasks that are assigned or offered to the person there go to others.",
  tags,
  credentials: SIGNED_IN,
  needsConfirmation: true,
  params: MemberParams,
  answers: { 204: Type.Null({ description: "Removed." }) },
  errors: [...WRITE_ERRORS, "PROJECT_NOT_FOUND", "USER_NOT_FOUND"],
  config: () => ({ securityEvent: "project_member_removed" }),
  handle: async (ctx: { db: Db }, request, reply) => {
    await removeMember(ctx, callerOf(request), request.params.slug, request.params.user_id);
    return reply.code(204).send(null);
  },
});

/** Projects and their people. (beyond: Projects) */
export const projectRoutes = mount<{ db: Db }>([
  listProjectsRoute,
  createProjectRoute,
  getProjectRoute,
  updateProjectRoute,
  listMembersRoute,
  setMemberRoute,
  removeMemberRoute,
]);

/** Shapes that other shapes refer to by name. */
export const projectShapes = [ProjectRecord, CreateProjectBody, UpdateProjectBody, MembershipRecord, SetMemberBody];
