import assert from "node:assert/strict";
import type { ProjectRecord } from "../../src/projects/schema.ts";
import type { TestService } from "./service.ts";

/** Creates a project, named like its slug. */
export async function newProject({ call }: TestService, slug: string): Promise<ProjectRecord> {
  const { status, body } = await call<ProjectRecord>("POST", "/api/projects", { body: { slug, name: slug } });
  assert.equal(status, 201, JSON.stringify(body));
  return body;
}

/** Adds a user to a project. */
export async function join(
  { call }: TestService,
  slug: string,
  user_id: string,
  role: "member" | "operator" = "member",
): Promise<void> {
  const { status, body } = await call("POST", `/api/projects/${slug}/members`, { body: { user_id, role } });
  assert.equal(status, 201, JSON.stringify(body));
}
