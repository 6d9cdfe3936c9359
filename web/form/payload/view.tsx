import type { ReactElement } from "react";
import { t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import type { PayloadNode, PayloadPlan } from "../../../form/payload/node.ts";
import { Changes, Diff } from "./changes.tsx";
import type { Drawing, PayloadParts } from "./drawing.ts";
import { FileCard } from "./file-card.tsx";
import { Group, Tree } from "./groups.tsx";
import { EYE_OFF, Icon } from "./icon.tsx";
import { LoadImage, Picture } from "./image.tsx";
import { Items } from "./lists.tsx";
import { Section, usePages } from "./pages.tsx";
import { Rows } from "./rows.tsx";
import { BooleanValue, Choice, DateValue, EmptyValue, NumberValue } from "./scalars.tsx";
import { MoreRows, Table } from "./table.tsx";
import { OutsideLink, visible } from "./text.tsx";
import { TextValue } from "./text-value.tsx";

export interface PayloadViewProps extends PayloadParts {
  readonly plan: PayloadPlan;
  /** Address of the page that shows the whole payload, for pages that cannot. */
  readonly wholeAt?: string | undefined;
}

/** The payload of a program, for a person to review. */
export function PayloadView({ plan, wholeAt, ...parts }: PayloadViewProps): ReactElement {
  const drawing = drawingOf(parts);
  const canShowAll = parts.planMore !== undefined;
  return (
    <div className="payload">
      {plan.is_redacted && (
        <p className="payload-banner">
          <Icon path={EYE_OFF} />
          {t("Confidential. Shown only here, never by email or in Slack.")}
        </p>
      )}
      {plan.is_too_large && canShowAll && (
        <p className="payload-banner payload-banner-quiet">{t("Large payload: expand a section to see it.")}</p>
      )}
      <div className="payload-card">
        {plan.nodes.length === 0 ? (
          <p className="payload-nothing">{t("Nothing to review")}</p>
        ) : (
          <Rows nodes={plan.nodes} drawing={drawing} />
        )}
      </div>
      {plan.is_partial && !canShowAll && <Partial wholeAt={wholeAt} />}
    </div>
  );
}

/** Shown next to the form, so that a person who answers knows that there is more. */
function Partial({ wholeAt }: { wholeAt: string | undefined }): ReactElement {
  return (
    <p className="payload-banner payload-partial" role="note">
      <span>
        {t("Part of this payload is not shown here.")}{" "}
        {wholeAt !== undefined &&
          rich("{link} before you answer.", {
            link: (
              <a href={wholeAt} target="_blank" rel="noopener">
                {t("Sign in to see all of it")}
              </a>
            ),
          })}
      </span>
    </p>
  );
}

export function drawingOf(parts: PayloadParts): Drawing {
  const startTransition = parts.startTransition ?? ((change) => change());
  const draw = (node: PayloadNode) => {
    const value = <Value node={node} drawing={drawing} />;
    return parts.drawOwn?.(node, value, drawing) ?? value;
  };
  const drawing: Drawing = { ...parts, startTransition, draw };
  return drawing;
}

/** Renders one value by its kind. */
function Value({ node, drawing }: { node: PayloadNode; drawing: Drawing }): ReactElement | null {
  switch (node.kind) {
    case "text":
    case "markdown":
    case "html":
    case "code":
    case "json":
      return <TextValue node={node} drawing={drawing} />;
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
    case "file":
      return <span className="payload-muted">{node.text}</span>;
    case "reference":
      return <FileCard file={node} Preview={drawing.Preview} />;
    case "image":
      return <Image node={node} />;
    case "chips":
    case "list":
      return <Items node={node} drawing={drawing} />;
    case "table":
      return <TableValue node={node} drawing={drawing} />;
    case "group":
      return <Group node={node} drawing={drawing} />;
    case "tree":
      return <Tree node={node} drawing={drawing} />;
    case "diff":
      return <Diff before={node.before} after={node.after} drawing={drawing} />;
    case "changes":
      return <Changes node={node} drawing={drawing} />;
    case "masked":
      return <Masked node={node} drawing={drawing} />;
    case "too_large":
      return <Section node={node} drawing={drawing} />;
  }
}

function Image({ node }: { node: Extract<PayloadNode, { kind: "image" }> }): ReactElement {
  // The owner of the address would learn who opens the page, and when.
  return node.src.startsWith("http") ? (
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
  const { pages, more } = usePages(node, drawing, "rows");
  return (
    <>
      <Table
        table={node}
        title={node.title}
        cells={node.rows.map((row) => row.map(drawing.draw))}
        more={pages.map(
          (page) =>
            page.kind === "table" && (
              <MoreRows key={page.rows[0]?.[0]?.pointer} page={page} columns={node.columns} drawing={drawing} />
            ),
        )}
      />
      {more}
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
        <span className="payload-action payload-when-closed">{t("Reveal")}</span>
        <span className="payload-action payload-when-open">{t("Hide")}</span>
      </summary>
      {drawing.draw(node.inner)}
    </details>
  );
}
