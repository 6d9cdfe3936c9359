import { lazy, memo, startTransition, Suspense, useMemo, useState } from "react";
import { locale } from "../../../languages/text.ts";
import { planMore } from "../../../form/payload/more.ts";
import type { PayloadNode } from "../../../form/payload/node.ts";
import { planPayload } from "../../../form/payload/payload.ts";
import type { PayloadInput } from "../../../form/payload/payload.ts";
import type { PayloadParts } from "../../form/payload/drawing.ts";
import { PayloadView } from "../../form/payload/view.tsx";
import type { PayloadViewProps } from "../../form/payload/view.tsx";
import { Preview } from "./preview.tsx";
import { ProposedText } from "./proposals.tsx";
import { useTimeZone } from "../ui/times.tsx";

const Code = lazy(async () => ({ default: (await import("./code.tsx")).Code }));
const CodeDiff = lazy(async () => ({ default: (await import("./code-diff.tsx")).CodeDiff }));
const Markdown = lazy(async () => {
  const [{ MarkdownInPieces }, { Code }] = await Promise.all([
    import("../../form/payload/markdown-pieces.tsx"),
    import("./code.tsx"),
  ]);
  return { default: ({ text }: { text: string }) => <MarkdownInPieces text={text} Code={Code} /> };
});
const TextDiff = lazy(async () => ({ default: (await import("../../form/payload/text-diff.tsx")).TextDiff }));

const ReviewTable = lazy(async () => ({ default: (await import("./review-table.tsx")).ReviewTable }));
const ChangedText = lazy(async () => ({ default: (await import("./changed-text.tsx")).ChangedText }));

/** Parts of the payload view that only this page has. Some are loaded when a value needs them, and suspend until then. */
export const LATER = { Markdown, TextDiff, Code, Preview };

/** A text that people read whole. */
type Written = Extract<PayloadNode, { kind: "text" | "markdown" | "html" } | { language: string | null }>;

function isWritten(node: PayloadNode): node is Written {
  return node.kind === "text" || node.kind === "markdown" || node.kind === "html" || node.kind === "code";
}

/** Longer diffs are shown as their source, in characters: each line is some elements of the page. */
const MAX_DIFF = 100_000;

function isCodeDiff(node: Written): boolean {
  return (
    node.kind === "code" &&
    (node.language === "diff" || node.language === "patch") &&
    node.left_out === 0 &&
    node.text.length <= MAX_DIFF &&
    /^@@ -\d/m.test(node.text)
  );
}

interface PayloadProps {
  payload: unknown;
  schema: unknown;
  hints: unknown;
  redact: boolean;
  /** Pointers of texts that the form beside the payload edits. */
  proposed?: ReadonlySet<string> | undefined;
  /** Texts that a person was asked to change, by the pointers of what became of them. */
  before?: ReadonlyMap<string, string> | undefined;
}

/**
 * Data for people, in the reader's time zone. It is not rendered again for each key that is typed into the form beside
 * it.
 */
export const PayloadOf = memo(({ payload, schema, hints, redact, proposed, before }: PayloadProps) => {
  const reader = useReader();
  const { plan, parts } = useMemo(() => {
    const input: PayloadInput = { payload, payload_schema: schema, hints, redact, is_paged: true, ...reader };
    const more = (node: PayloadNode, start: number) => planMore(input, node, start);
    const drawOwn: PayloadParts["drawOwn"] = (node, value, drawing) => {
      if (node.kind === "table") return <ReviewTable node={node} drawing={drawing} input={input} />;
      if (!isWritten(node)) return value;
      const { pointer } = node;
      const shown = isCodeDiff(node) ? <CodeDiff text={node.text} /> : value;
      if (proposed?.has(pointer)) return <ProposedText from={pointer}>{shown}</ProposedText>;
      const text = before?.get(pointer);
      if (text === undefined) return shown;
      return <ChangedText before={text} after={node.left_out === 0 ? node.text : null} whole={value} />;
    };
    return { plan: planPayload(input), parts: { planMore: more, startTransition, drawOwn } };
  }, [payload, schema, hints, redact, reader, proposed, before]);
  return <PlannedPayload plan={plan} {...parts} />;
});

/** Returns the language and the time zone of the reader, and when the page was opened. */
export function useReader(): Required<Pick<PayloadInput, "locale" | "time_zone" | "now">> {
  const [now] = useState(() => new Date());
  const time_zone = useTimeZone();
  return useMemo(() => ({ locale: locale(), time_zone, now }), [time_zone, now]);
}

/** A plan, with the large modules that only some values need. */
export function PlannedPayload(props: PayloadViewProps) {
  const { drawOwn: _loadedToo, ...plain } = props;
  return (
    <Suspense fallback={<PayloadView {...plain} />}>
      <PayloadView {...props} {...LATER} />
    </Suspense>
  );
}
