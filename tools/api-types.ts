import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

/*
 * What `npm run generate` makes of openapi.json: the types of the client, and those of the dashboard.
 */

/** The operations that the client calls; of the rest of the description it needs nothing. */
const OPERATIONS = new Set([
  "createTask",
  "listTasks",
  "getTask",
  "deleteTask",
  "pollTask",
  "completeTask",
  "cancelTask",
  "getAuditTrail",
  "createEmbedToken",
]);

type Operation = { operationId: string; responses: Record<string, unknown> };
interface Description {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
}

/** What the client calls, and what it sends and gets. */
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
      ([name]) => name === "Error" || used.includes(`"#/components/schemas/${name}"`),
    ),
  );
  const kept = Object.fromEntries(Object.entries(paths).filter(([, methods]) => Object.keys(methods).length > 0));
  return { ...whole, paths: kept, components: { ...whole.components, schemas } };
}

function good(responses: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(responses).filter(([status]) => status.startsWith("2")));
}

/** The shapes that a description names, as TypeScript. */
async function typesOf(description: Description): Promise<string> {
  const types = astToString(await openapiTS(JSON.stringify(description)));
  return `// Written by \`npm run generate\` from openapi.json.\n\n${types}`;
}

async function main(): Promise<void> {
  const whole = JSON.parse(readFileSync(new URL("../openapi.json", import.meta.url), "utf8")) as Description;
  writeFileSync(new URL("../sdk/api.ts", import.meta.url), await typesOf(ofClient(whole)));
  // The dashboard names addresses itself; it needs only what is behind them.
  writeFileSync(new URL("../web/dashboard/schemas.d.ts", import.meta.url), await typesOf({ ...whole, paths: {} }));
}

await main();
