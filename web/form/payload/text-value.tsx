import type { ReactElement } from "react";
import { t } from "../../../languages/text.ts";
import type { PayloadNode } from "../../../form/payload/node.ts";
import type { Drawing, PayloadParts } from "./drawing.ts";
import { usePages } from "./pages.tsx";
import { Source } from "./source.tsx";
import { Clip, isLong, visible } from "./text.tsx";

type TextNode = Extract<PayloadNode, { kind: "text" | "markdown" | "html" | "code" | "json" }>;

export function TextValue({ node, drawing }: { node: TextNode; drawing: Drawing }): ReactElement {
  const { pages, more } = usePages(node, drawing, "characters");
  const after = pages.map((page) => ("text" in page ? page.text : "")).join("");
  return (
    <>
      <TextOf node={node} after={after} drawing={drawing} />
      {more}
    </>
  );
}

/** @param after - the requested rest of the text */
function TextOf({ node, after, drawing }: { node: TextNode; after: string; drawing: Drawing }) {
  const { Markdown, Code } = drawing;
  const { kind, text } = node;
  if (kind === "text" || (kind === "markdown" && Markdown === undefined))
    return <Text text={text + after} isWhole={after !== ""} />;
  if (kind === "markdown") return <MarkdownText text={text} after={after} Markdown={Markdown!} />;
  const language = "language" in node ? node.language : "html";
  return <Source text={text + after} language={language} isWhole={after !== ""} Code={Code} />;
}

/** @param isWhole - whether it is not folded */
function Text({ text, isWhole }: { text: string; isWhole: boolean }): ReactElement {
  if (text.length <= 80 && !text.includes("\n"))
    return (
      <span className="payload-text" dir="auto">
        {visible(text)}
      </span>
    );
  return (
    <Clip isLong={!isWhole && isLong(text)}>
      <p className="payload-text payload-reading" dir="auto">
        {visible(text)}
      </p>
    </Clip>
  );
}

interface MarkdownTextProps {
  text: string;
  after: string;
  Markdown: NonNullable<PayloadParts["Markdown"]>;
}

function MarkdownText({ text, after, Markdown }: MarkdownTextProps): ReactElement {
  return (
    <div className="payload-markdown">
      <Clip isLong={after === "" && isLong(text, 24)}>
        <div className="payload-rendered payload-reading" dir="auto">
          <Markdown text={text} />
          {/* It begins in the middle of the text, so it is shown unformatted. */}
          {after !== "" && (
            <p className="payload-text" dir="auto">
              {visible(after)}
            </p>
          )}
        </div>
      </Clip>
      <details className="payload-raw">
        <summary>
          <span className="payload-when-closed">{t("Raw")}</span>
          <span className="payload-when-open">{t("Formatted")}</span>
        </summary>
        <Source text={text + after} language="markdown" />
      </details>
    </div>
  );
}
