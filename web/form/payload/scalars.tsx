import type { ReactElement } from "react";
import { t } from "../../../languages/text.ts";
import type { PayloadNode } from "../../../form/payload/node.ts";
import { CHECK, CROSS, Icon } from "./icon.tsx";
import { visible } from "./text.tsx";

/** One of several named values. */
export function Choice({ text, value, tone }: Extract<PayloadNode, { kind: "choice" }>): ReactElement {
  return (
    <span className={`payload-chip payload-${tone}`} title={text === value ? undefined : value} dir="auto">
      {visible(text)}
    </span>
  );
}

export function NumberValue(node: Extract<PayloadNode, { is_main: boolean }>): ReactElement {
  return (
    <span className={node.is_main ? "payload-number payload-main" : "payload-number"} title={node.value}>
      {node.text}
    </span>
  );
}

export function DateValue(node: Extract<PayloadNode, { relative: string | null }>): ReactElement {
  return (
    <span className="payload-number">
      <time dateTime={node.value} title={node.utc ?? node.value}>
        {node.text}
      </time>
      {node.relative !== null && <span className="payload-muted"> · {node.relative}</span>}
    </span>
  );
}

export function BooleanValue({ value, text }: Extract<PayloadNode, { kind: "boolean" }>): ReactElement {
  return (
    <span className="payload-boolean" dir="auto">
      <Icon path={value ? CHECK : CROSS} />
      {visible(text)}
    </span>
  );
}

function sayEmpty(what: "null" | "text" | "list" | "object"): string {
  switch (what) {
    case "null":
      return t("Empty");
    case "text":
      return t("Empty text");
    case "list":
      return t("Empty list");
    case "object":
      return t("Empty object");
  }
}

export function EmptyValue({ what }: Extract<PayloadNode, { kind: "empty" }>): ReactElement | null {
  return what === "missing" ? null : (
    <span className="payload-muted">
      <span aria-hidden="true">–</span>
      <span className="payload-spoken">{sayEmpty(what)}</span>
    </span>
  );
}
