import type { ReactElement } from "react";
import type { PayloadParts } from "./drawing.ts";
import { Source } from "./source.tsx";
import { Clip, isLong, LeftOut, visible } from "./text.tsx";

export function Text({ text, leftOut }: { text: string; leftOut: number }): ReactElement {
  if (text.length <= 80 && !text.includes("\n"))
    return (
      <span className="payload-text" dir="auto">
        {visible(text)}
      </span>
    );
  return (
    <>
      <Clip isLong={isLong(text)}>
        <p className="payload-text payload-reading" dir="auto">
          {visible(text)}
        </p>
      </Clip>
      <LeftOut count={leftOut} what="characters" />
    </>
  );
}

export function SourceText({
  text,
  language,
  leftOut,
}: {
  text: string;
  language: string | null;
  leftOut: number;
}): ReactElement {
  return (
    <>
      <Source text={text} language={language} />
      <LeftOut count={leftOut} what="characters" />
    </>
  );
}

export function MarkdownText(props: {
  text: string;
  left_out: number;
  Markdown: PayloadParts["Markdown"];
}): ReactElement {
  const { text, left_out, Markdown } = props;
  if (Markdown === undefined) return <Text text={text} leftOut={left_out} />;
  return (
    <div className="payload-markdown">
      <Clip isLong={isLong(text, 24)}>
        <div className="payload-rendered payload-reading" dir="auto">
          <Markdown text={text} />
        </div>
      </Clip>
      <details className="payload-raw">
        <summary>
          <span className="payload-when-closed">Raw</span>
          <span className="payload-when-open">Formatted</span>
        </summary>
        <Source text={text} language="markdown" />
      </details>
      <LeftOut count={left_out} what="characters" />
    </div>
  );
}
