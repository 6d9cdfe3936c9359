import type { ReactElement } from "react";
import { FIXTURE_NOW, PAYLOAD_FIXTURES } from "../../../form/fixtures/payloads.ts";
import { planPayload } from "../../../form/payload/payload.ts";
import { Markdown } from "./markdown.tsx";
import { TextDiff } from "./text-diff.tsx";
import { PayloadView } from "./view.tsx";
import type { PayloadParts } from "./drawing.ts";

const ALL: PayloadParts = { Markdown, TextDiff };

/** One of the payload fixtures, as the main part of a page; null when none has this name. */
export function PayloadFixturePage({ name, parts = ALL }: { name: string; parts?: PayloadParts }): ReactElement | null {
  const fixture = Object.hasOwn(PAYLOAD_FIXTURES, name) ? PAYLOAD_FIXTURES[name] : undefined;
  if (fixture === undefined) return null;
  const plan = planPayload({ time_zone: "Europe/Berlin", ...fixture, now: FIXTURE_NOW });
  return (
    <>
      <h2>What to review</h2>
      <PayloadView plan={plan} {...parts} />
    </>
  );
}
