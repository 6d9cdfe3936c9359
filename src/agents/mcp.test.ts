import assert from "node:assert/strict";
import { newServiceKey } from "../../test/support/embed.ts";
import { person } from "../../test/support/people.ts";
import { testOnBoth } from "../../test/support/service.ts";
import { MCP_PATH } from "./mcp.ts";

testOnBoth("agents come with the admin token: nobody else calls a tool, whoever they are", async (service) => {
  const body = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const as = async (headers: object) => {
    const answer = await service.call<{ error_code?: string }>("POST", MCP_PATH, {
      body,
      token: null,
      headers: { accept: "application/json, text/event-stream", ...headers },
    });
    return `${answer.status} ${answer.body.error_code}`;
  };
  const operator = await person(service, { is_operator: true });
  const { key } = await newServiceKey(service);
  assert.equal(await as({}), "401 UNAUTHENTICATED");
  assert.equal(await as({ authorization: "Bearer wrong" }), "401 UNAUTHENTICATED");
  assert.equal(await as({ authorization: `Bearer ${key}` }), "403 FORBIDDEN");
  assert.equal(await as(operator.headers), "403 FORBIDDEN");
});
