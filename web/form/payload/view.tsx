import type { ReactElement } from "react";
import type { PayloadNode, PayloadPlan } from "../../../form/payload/node.ts";
import { Changes, Diff } from "./changes.tsx";
import type { Drawing, PayloadParts } from "./drawing.ts";
import { Group, Tree } from "./groups.tsx";
import { EYE_OFF, Icon } from "./icon.tsx";
import { LoadImage, Picture } from "./image.tsx";
import { Chips, List } from "./lists.tsx";
import { Rows } from "./rows.tsx";
import { BooleanValue, Choice, DateValue, EmptyValue, NumberValue } from "./scalars.tsx";
import { Table } from "./table.tsx";
import { LeftOut, OutsideLink, visible } from "./text.tsx";
import { MarkdownText, SourceText, Text } from "./text-value.tsx";

export interface PayloadViewProps extends PayloadParts {
  readonly plan: PayloadPlan;
}

/** What a program sent, for a person to judge. */
export function PayloadView({ plan, ...parts }: PayloadViewProps): ReactElement {
  const drawing = drawingOf(parts);
  return (
    <div className="payload">
      {plan.is_redacted && (
        <p className="payload-banner">
          <Icon path={EYE_OFF} />
          Confidential: these details are shown on this page only, and never sent by mail or chat.
        </p>
      )}
      {plan.is_too_large && (
        <p className="payload-banner payload-banner-quiet">
          This is more than can be shown here: you see the first level.
        </p>
      )}
      <div className="payload-card">
        {plan.nodes.length === 0 ? (
          <p className="payload-nothing">No details were sent with this task.</p>
        ) : (
          <Rows nodes={plan.nodes} drawing={drawing} />
        )}
      </div>
    </div>
  );
}
function drawingOf(parts: PayloadParts): Drawing {
  const drawing: Drawing = { ...parts, draw: (node) => <Value node={node} drawing={drawing} /> };
  return drawing;
}

/** Draws one value by its kind. */
function Value({ node, drawing }: { node: PayloadNode; drawing: Drawing }): ReactElement | null {
  switch (node.kind) {
    case "text":
      return <Text text={node.text} leftOut={node.left_out} />;
    case "markdown":
      return <MarkdownText {...node} Markdown={drawing.Markdown} />;
    case "html":
      return <SourceText text={node.text} language="html" leftOut={node.left_out} />;
    case "code":
    case "json":
      return <SourceText text={node.text} language={node.language} leftOut={node.left_out} />;
    case "choice":
      return <Choice {...node} />;
    case "number":
    case "currency":
    case "percent":
    case "unit":
      return <NumberValue {...node} />;
    case "date":
    case "time":
    case "date-time":
      return <DateValue {...node} />;
    case "boolean":
      return <BooleanValue {...node} />;
    case "empty":
      return <EmptyValue {...node} />;
    case "link":
      return <OutsideLink {...node}>{visible(node.text)}</OutsideLink>;
    case "image":
      return <Image node={node} />;
    case "chips":
      return <Chips items={node.items} leftOut={node.left_out} drawing={drawing} />;
    case "list":
      return <List items={node.items} leftOut={node.left_out} drawing={drawing} />;
    case "table":
      return <TableValue node={node} drawing={drawing} />;
    case "group":
      return <Group node={node} drawing={drawing} />;
    case "tree":
      return <Tree node={node} drawing={drawing} />;
    case "diff":
      return <Diff before={node.before} after={node.after} drawing={drawing} />;
    case "changes":
      return <Changes rows={node.rows} unchanged={node.unchanged} leftOut={node.left_out} drawing={drawing} />;
    case "masked":
      return <Masked node={node} drawing={drawing} />;
    case "too_large":
      return <span className="payload-muted">{node.text}, not shown here</span>;
  }
}

function Image({ node }: { node: Extract<PayloadNode, { kind: "image" }> }): ReactElement {
  return node.src.startsWith("http:") ? (
    <LoadImage image={node} title={node.title} />
  ) : (
    <Picture src={node.src} title={node.title} />
  );
}

function TableValue({
  node,
  drawing,
}: {
  node: Extract<PayloadNode, { kind: "table" }>;
  drawing: Drawing;
}): ReactElement {
  return (
    <>
      <Table table={node} title={node.title} cells={node.rows.map((row) => row.map(drawing.draw))} />
      <LeftOut count={node.left_out} what="rows" />
    </>
  );
}

function Masked({ node, drawing }: { node: Extract<PayloadNode, { kind: "masked" }>; drawing: Drawing }): ReactElement {
  return (
    <details className="payload-masked">
      <summary>
        <span aria-hidden="true" className="payload-when-closed">
          ••••••••{" "}
        </span>
        <span className="payload-action payload-when-closed">Reveal</span>
        <span className="payload-action payload-when-open">Hide</span>
      </summary>
      {drawing.draw(node.inner)}
    </details>
  );
}
