import { lazy, memo, startTransition, Suspense, useMemo, useState } from "react";
import { planMore } from "../../../form/payload/more.ts";
import type { PayloadNode } from "../../../form/payload/node.ts";
import { planPayload } from "../../../form/payload/payload.ts";
import type { PayloadInput } from "../../../form/payload/payload.ts";
import { PayloadView } from "../../form/payload/view.tsx";
import type { PayloadViewProps } from "../../form/payload/view.tsx";
import { Preview } from "./preview.tsx";
import { useTimeZone } from "../ui/times.tsx";

const Markdown = lazy(async () => ({
  default: (await import("../../form/payload/markdown-pieces.tsx")).MarkdownInPieces,
}));
const TextDiff = lazy(async () => ({ default: (await import("../../form/payload/text-diff.tsx")).TextDiff }));

/** Parts of the payload view that only this page has. Some are loaded when a value needs them, and suspend until then. */
export const LATER = { Markdown, TextDiff, Preview };

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
  const reader = useReader();
  const { plan, parts } = useMemo(() => {
    const input: PayloadInput = { payload, payload_schema: schema, hints, redact, is_paged: true, ...reader };
    const more = (node: PayloadNode, start: number) => planMore(input, node, start);
    return { plan: planPayload(input), parts: { planMore: more, startTransition } };
  }, [payload, schema, hints, redact, reader]);
  return <PlannedPayload plan={plan} {...parts} />;
});

/** Returns the language and the time zone of the reader, and when the page was opened. */
export function useReader(): Required<Pick<PayloadInput, "locale" | "time_zone" | "now">> {
  const [now] = useState(() => new Date());
  const time_zone = useTimeZone();
  return useMemo(() => ({ locale: navigator.language, time_zone, now }), [time_zone, now]);
}

/** A plan, with the large modules that only some values need. */
export function PlannedPayload(props: PayloadViewProps) {
  return (
    <Suspense fallback={<PayloadView {...props} />}>
      <PayloadView {...props} {...LATER} />
    </Suspense>
  );
}
