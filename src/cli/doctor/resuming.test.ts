import assert from "node:assert/strict";
import { newConnection } from "../../../test/support/connections.ts";
import { onBoth, runDoctor, startPatient } from "../../../test/support/doctor.ts";
import { noteRefusal } from "../../resume/connection-store.ts";

onBoth("the doctor says which connections and event subscriptions do not work", async (dialect, t) => {
  const { service, env } = await startPatient(t, dialect);
  const without = await runDoctor(env);
  assert.deepEqual([without.status["connections"], without.status["events"]], ["off", "off"]);

  await newConnection(service, { name: "works" });
  await newConnection(service, { name: "open", secret: null });
  const refused = await newConnection(service, { name: "refused" });
  await noteRefusal(service.ctx.db, refused.id, "Temporal answered 403.");
  const subscribe = async (path: string) => {
    const body = { url: `https://example.com/${path}`, events: ["task.completed"] };
    return (await service.call<{ id: string }>("POST", "/api/event-subscriptions", { body })).body.id;
  };
  const [on, disabled] = [await subscribe("on"), await subscribe("only-we-know")];
  const path = `/api/event-subscriptions/${disabled}`;
  assert.equal((await service.call("PATCH", path, { body: { disabled: true } })).status, 200);

  const { code, out, status, says } = await runDoctor(env);
  assert.equal(code, 1);
  const of = (name: string) => status[`connections/default/${name}`];
  assert.deepEqual([of("works"), of("open"), of("refused")], ["ok", "ok", "problem"]);
  assert.match(
    says("connections/default/refused"),
    /has refused its secret since 20.*Z\. Temporal answered 403\. Replace/,
  );
  assert.deepEqual([status[`events/${on}`], status[`events/${disabled}`]], ["ok", "warning"]);
  assert.match(
    says(`events/${disabled}`),
    /^Nothing has been sent to https:\/\/example\.com since 20.*Turn it on again/,
  );
  assert.ok(!out.includes("only-we-know"));

  const other = await runDoctor({ ...env, SERVICE_SECRET_KEY: Buffer.alloc(32, 7).toString("base64") });
  assert.match(
    other.says("connections/default/works"),
    /^Its secret cannot be opened with SERVICE_SECRET_KEY\. .*enter/,
  );
  assert.match(other.says(`events/${on}`), /^Its secret cannot be opened with SERVICE_SECRET_KEY\. .*rotate/);
  assert.equal(other.status["connections/default/open"], "ok");
});
