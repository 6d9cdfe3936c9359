import { lazy, Suspense, useMemo, useState } from "react";
import { planPayload } from "../../../form/payload/payload.ts";
import { PayloadView } from "../../form/payload/view.tsx";
import { useTimeZone } from "../ui/times.tsx";

const Markdown = lazy(async () => ({
  default: (await import("../../form/payload/markdown-pieces.tsx")).MarkdownInPieces,
}));
const TextDiff = lazy(async () => ({ default: (await import("../../form/payload/text-diff.tsx")).TextDiff }));

interface PayloadProps {
  payload: unknown;
  schema: unknown;
  hints: unknown;
  redact: boolean;
}

/** Data as people read it, in the reader's zone. */
export function PayloadOf({ payload, schema, hints, redact }: PayloadProps) {
  const [opened] = useState(() => Date.now());
  const time_zone = useTimeZone();
  const plan = useMemo(
    () =>
      planPayload({
        payload,
        payload_schema: schema,
        hints,
        redact,
        locale: navigator.language,
        time_zone,
        now: new Date(opened),
      }),
    [payload, schema, hints, redact, time_zone, opened],
  );
  return (
    <Suspense fallback={<PayloadView plan={plan} />}>
      <PayloadView plan={plan} Markdown={Markdown} TextDiff={TextDiff} />
    </Suspense>
  );
}
