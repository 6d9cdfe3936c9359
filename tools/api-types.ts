import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

/*
 * `npm run generate` makes these from openapi.json: the types of the client and of the dashboard, and the shapes of
 * requests for the service in memory.
 */

/** The operations that the client calls. It needs nothing else of the description. */
const OPERATIONS = new Set([
  "createTask",
  "createTasks",
  "listTasks",
  "getTask",
  "deleteTask",
  "pollTask",
  "completeTask",
  "cancelTask",
  "extendTask",
  "getAuditTrail",
  "listComments",
  "addComment",
  "reviseTask",
  "listVersions",
  "createEmbedToken",
]);

/** Shapes that no operation of the client has. */
const SHAPES = new Set(["Error", "TaskEvent"]);

type Operation = {
  operationId: string;
  responses: Record<string, unknown>;
  parameters?: readonly { name: string; in: string; schema: unknown }[];
};
interface Description {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
}

/**
 * Returns the part of the description that the client needs: its operations, and the shapes of their requests and
 * answers.
 */
function ofClient(whole: Description): Description {
  const paths = Object.fromEntries(
    Object.entries(whole.paths).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods)
          .filter(([, { operationId }]) => OPERATIONS.has(operationId))
          .map(([method, operation]) => [method, { ...operation, responses: good(operation.responses) }]),
      ),
    ]),
  );
  const used = JSON.stringify(paths);
  const schemas = Object.fromEntries(
    Object.entries(whole.components.schemas).filter(
      ([name]) => SHAPES.has(name) || used.includes(`"#/components/schemas/${name}"`),
    ),
  );
  const kept = Object.fromEntries(Object.entries(paths).filter(([, methods]) => Object.keys(methods).length > 0));
  return { ...whole, paths: kept, components: { ...whole.components, schemas } };
}

function good(responses: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(responses).filter(([status]) => status.startsWith("2")));
}

/** Returns the shapes of a description as TypeScript. */
async function typesOf(description: Description): Promise<string> {
  const types = astToString(await openapiTS(JSON.stringify(description)));
  return `// Written by \`npm run generate\` from openapi.json.\n\n${types}`;
}

/** The request shapes that the service in memory of `sdk/testing` checks, by their names there. */
const REQUESTS: Readonly<Record<string, (whole: Description) => unknown>> = {
  CREATE_TASK: ({ components }) => components.schemas["CreateTask"],
  COMPLETE_TASK: ({ components }) => components.schemas["CompleteTask"],
  CANCEL_TASK: ({ components }) => components.schemas["CancelTask"],
  ADD_COMMENT: ({ components }) => components.schemas["AddComment"],
  REVISE_TASK: ({ components }) => without(["action", "actions"], components.schemas["ReviseTask"]),
  EXTEND_TASK: ({ components }) => components.schemas["ExtendTask"],
  LIST_TASKS: (whole) => queryOf(whole, "listTasks"),
  POLL_TASK: (whole) => queryOf(whole, "pollTask"),
};

/** Returns an object schema without properties that another one has as well. */
function without(names: readonly string[], schema: unknown): unknown {
  const { properties, ...rest } = schema as { properties: Record<string, unknown> };
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name))),
  };
}

/** Returns the query of an operation as an object schema. */
function queryOf({ paths }: Description, operationId: string): unknown {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const { parameters = [] } = operations.find((operation) => operation.operationId === operationId)!;
  const inQuery = parameters.filter((parameter) => parameter.in === "query");
  return { type: "object", properties: Object.fromEntries(inQuery.map(({ name, schema }) => [name, schema])) };
}

/** Returns the schema without descriptions. */
function withoutWords(schema: unknown): unknown {
  const isWords = (name: string, value: unknown) =>
    (name === "description" && typeof value === "string") || (name === "examples" && Array.isArray(value));
  return JSON.parse(JSON.stringify(schema, (name, value: unknown) => (isWords(name, value) ? undefined : value)));
}

function shapesOf(whole: Description): string {
  const shapes = Object.entries(REQUESTS).map(
    ([name, shapeOf]) => `export const ${name} = ${JSON.stringify(withoutWords(shapeOf(whole)), null, 2)};\n`,
  );
  return `// Written by \`npm run generate\` from openapi.json.\n\n${shapes.join("\n")}`;
}

async function main(): Promise<void> {
  const whole = JSON.parse(readFileSync(new URL("../openapi.json", import.meta.url), "utf8")) as Description;
  writeFileSync(new URL("../sdk/api.ts", import.meta.url), await typesOf(ofClient(whole)));
  writeFileSync(new URL("../sdk/testing/request-shapes.ts", import.meta.url), shapesOf(whole));
  // The dashboard writes the paths itself; it needs only the shapes.
  writeFileSync(new URL("../web/dashboard/schemas.d.ts", import.meta.url), await typesOf({ ...whole, paths: {} }));
}

await main();
