import { lazy, memo, startTransition, Suspense, useMemo, useState } from "react";
import { planMore } from "../../../form/payload/more.ts";
import type { PayloadNode } from "../../../form/payload/node.ts";
import { planPayload } from "../../../form/payload/payload.ts";
import type { PayloadInput } from "../../../form/payload/payload.ts";
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

/**
 * Data for people, in the reader's time zone. It is not rendered again for each key that is typed into the form beside
 * it.
 */
export const PayloadOf = memo(({ payload, schema, hints, redact }: PayloadProps) => {
  const [opened] = useState(() => Date.now());
  const time_zone = useTimeZone();
  const { plan, parts } = useMemo(() => {
    const input: PayloadInput = {
      payload,
      payload_schema: schema,
      hints,
      redact,
      locale: navigator.language,
      time_zone,
      now: new Date(opened),
      is_paged: true,
    };
    const more = (node: PayloadNode, start: number) => planMore(input, node, start);
    return { plan: planPayload(input), parts: { planMore: more, startTransition } };
  }, [payload, schema, hints, redact, time_zone, opened]);
  return (
    <Suspense fallback={<PayloadView plan={plan} {...parts} />}>
      <PayloadView plan={plan} {...parts} Markdown={Markdown} TextDiff={TextDiff} />
    </Suspense>
  );
});
