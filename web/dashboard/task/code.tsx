import { useMemo } from "react";
import type { ReactElement } from "react";
import { visible } from "../../form/payload/text.tsx";
import { adoptStyles } from "../ui/later-styles.ts";
import { highlight } from "./highlight.ts";
import styles from "./code.css?inline";

adoptStyles(styles);

/** Untrusted code, in colours if its language is known. */
export function Code({ text, language }: { text: string; language: string | null }): ReactElement {
  const tokens = useMemo(() => highlight(text, language), [text, language]);
  if (tokens === null) return <>{visible(text)}</>;
  return (
    <>
      {tokens.map(({ kind, text: part, start }) =>
        kind === null ? (
          <span key={start}>{visible(part)}</span>
        ) : (
          <span key={start} className={`code-${kind}`}>
            {visible(part)}
          </span>
        ),
      )}
    </>
  );
}
