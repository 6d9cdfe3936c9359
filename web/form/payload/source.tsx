import { useState } from "react";
import { t } from "../../../languages/text.ts";
import type { PayloadParts } from "./drawing.ts";
import { useScripts } from "./image.tsx";
import { Clip, isLong, Scroller, visible } from "./text.tsx";

/** Code, JSON, or anything else as its source. */
export function Source({
  text,
  language,
  isWhole = false,
  Code,
}: {
  text: string;
  language: string | null;
  /** Whether it is not folded. */
  isWhole?: boolean;
  Code?: PayloadParts["Code"] | undefined;
}) {
  return (
    <div className="payload-source">
      <div className="payload-source-bar">
        <span className="payload-muted">{language}</span>
        <Copy text={text} />
      </div>
      <Clip isLong={!isWhole && isLong(text, 16)}>
        <Scroller className="payload-scroller" label={t("Source")}>
          <pre dir="ltr">
            <code>{Code === undefined ? visible(text) : <Code text={text} language={language} />}</code>
          </pre>
        </Scroller>
      </Clip>
    </div>
  );
}

export function Copy({ text }: { text: string }) {
  const [said, setSaid] = useState(t("Copy"));
  if (!useScripts()) return null;
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setSaid(t("Copied")),
      () => setSaid(t("Not allowed here")),
    );
  return (
    <button type="button" className="payload-copy" onClick={() => void copy()}>
      <span aria-live="polite">{said}</span>
    </button>
  );
}
