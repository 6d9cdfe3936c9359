import assert from "node:assert/strict";
import { testOnBoth } from "../../../test/support/service.ts";
import type { TaskRecord } from "../../tasks/schema.ts";
import { createLink } from "./links.ts";

const DANA = "dana@example.com";

testOnBoth(
  "a page is in the language of its reader, and what is stored of the answer is in English",
  async (service) => {
    const { ctx, call } = service;
    const { id } = await service.create({ notify: [`email:${DANA}`], locale: "de" });
    const { pathname } = new URL(createLink(ctx, id, DANA));
    const { text } = await call("GET", pathname, { token: null });
    assert.match(text, /<html lang="de">/);
    assert.match(text, /Antwort senden/);
    const french = await call("GET", pathname, { token: null, headers: { "accept-language": "fr-CA, en;q=0.5" } });
    assert.match(french.text, /<html lang="fr">/);

    const fields = new URLSearchParams({ "/approved": "true" });
    for (const [, name = "", value = ""] of text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g))
      fields.set(name, value);
    const done = await call("POST", pathname, {
      token: null,
      raw: fields.toString(),
      headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" },
    });
    assert.equal(done.status, 200, done.text);
    assert.match(done.text, /<html lang="de">/);
    const { body } = await call<TaskRecord>("GET", `/api/tasks/${id}`);
    assert.deepEqual([body.status, body.decision?.label], ["completed", "Yes"]);
  },
);
