import { useState } from "react";
import type { ReactElement, ReactNode } from "react";
import { locale, t } from "../../../languages/text.ts";
import { PAGE } from "../../../form/payload/limits.ts";
import type { PayloadNode, Rest, Shown } from "../../../form/payload/node.ts";
import type { Drawing } from "./drawing.ts";
import { LeftOut, moreOf, type Unit } from "./text.tsx";

export interface Pages<Page> {
  /** The requested pages, after the content of the node itself. */
  readonly pages: readonly Page[];
  /** The button for the next page, or a sentence that says how much is left out. */
  readonly more: ReactNode;
}

/** @param what - the unit of `left_out` */
export function usePages<Node extends PayloadNode & Rest>(node: Node, drawing: Drawing, what: Unit): Pages<Shown> {
  const [asked, setAsked] = useState<{ node: Node; pages: readonly (Shown & Rest)[]; isEnd: boolean }>();
  const { pages, isEnd } = asked?.node === node ? asked : { pages: [], isEnd: false };
  const { left_out, next } = pages.at(-1) ?? node;
  const { planMore, startTransition } = drawing;
  if (planMore === undefined || next === undefined || isEnd)
    return { pages, more: <LeftOut count={left_out} what={what} /> };
  const show = () => {
    const page = planMore(node, next);
    startTransition(() => {
      if (page !== null && "left_out" in page) setAsked({ node, pages: [...pages, page], isEnd: page.next === next });
      else setAsked({ node, pages, isEnd: true });
    });
  };
  return { pages, more: <ShowMore count={left_out} what={what} show={show} /> };
}

function ShowMore({ count, what, show }: { count: number; what: Unit; show: () => void }): ReactElement {
  const number = (value: number) => value.toLocaleString(locale());
  const isText = what === "characters";
  return (
    <p className="payload-left-out">
      <button type="button" className="payload-load" onClick={show}>
        {isText ? t("Show more") : t("Show {count} more", { count: number(Math.min(PAGE, count)) })}
      </button>{" "}
      {(isText || count > PAGE) && moreOf(what, count)}
    </p>
  );
}

type TooLarge = Extract<PayloadNode, { kind: "too_large" }>;

/** A value that is only counted. If the page can plan it, it is planned and rendered when a person opens it. */
export function Section({ node, drawing }: { node: TooLarge; drawing: Drawing }): ReactElement {
  const [opened, setOpened] = useState<{ node: TooLarge; shown: Shown | null }>();
  const { planMore, startTransition } = drawing;
  if (planMore === undefined)
    return <span className="payload-muted">{t("{text}, not shown here", { text: node.text })}</span>;
  const { pointer, title, description, help, next = 0 } = node;
  const open = () => {
    if (opened?.node === node) return;
    const shown = planMore(node, next);
    startTransition(() => setOpened({ node, shown }));
  };
  const shown = opened?.node === node ? opened.shown : null;
  return (
    <details className="payload-tree payload-section" onToggle={open}>
      <summary>
        <span className="payload-when-closed">{t("Show {text}", { text: node.text })}</span>
        <span className="payload-when-open">{t("Hide {text}", { text: node.text })}</span>
      </summary>
      {shown !== null && drawing.draw({ pointer, title, description, help, ...shown })}
    </details>
  );
}
