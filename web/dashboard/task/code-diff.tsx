import { useMemo } from "react";
import type { ReactElement } from "react";
import { as, plural, t } from "../../../languages/text.ts";
import { Copy } from "../../form/payload/source.tsx";
import { Scroller, visible } from "../../form/payload/text.tsx";
import { adoptStyles } from "../ui/later-styles.ts";
import { readDiff } from "./diff-lines.ts";
import type { DiffFile, DiffLine } from "./diff-lines.ts";
import styles from "./code.css?inline";

adoptStyles(styles);

/** A unified diff: its files, each with its lines before and after. */
export function CodeDiff({ text }: { text: string }): ReactElement {
  const files = useMemo(() => readDiff(text), [text]);
  const [added, removed] = [sumOf(files, "added"), sumOf(files, "removed")];
  return (
    <div className="payload-source code-diff">
      <div className="payload-source-bar">
        <span className="payload-muted">
          {plural(files.length, "{n} file", "{n} files")}, <Counts added={added} removed={removed} />
        </span>
        <Copy text={text} />
      </div>
      {files.map((file) => (
        <FileOf key={file.place} file={file} />
      ))}
    </div>
  );
}

function sumOf(files: readonly DiffFile[], side: "added" | "removed"): number {
  return files.reduce((sum, file) => sum + file[side], 0);
}

function Counts({ added, removed }: { added: number; removed: number }): ReactElement {
  return (
    <span className="diff-counts">
      <span className="diff-plus">
        +{added}
        <span className="unseen"> {as("after a number", "lines added,")}</span>
      </span>{" "}
      <span className="diff-minus">
        −{removed}
        <span className="unseen"> {as("after a number", "lines removed")}</span>
      </span>
    </span>
  );
}

function FileOf({ file }: { file: DiffFile }): ReactElement {
  const { before, after, head, hunks, added, removed } = file;
  const name = nameOf(file);
  // The paths of the head are in the name.
  const said = head.filter((line) => !/^(?:diff --git |Index: |index |=+$)/.test(line) && line.trim() !== "");
  return (
    <details open className="diff-file">
      <summary>
        <bdi className="diff-name">{visible(name)}</bdi>
        {before === null && after !== null && <span className="payload-muted"> {as("in a diff", "new file")}</span>}
        {after === null && before !== null && (
          <span className="payload-muted"> {as("file in a diff", "deleted")}</span>
        )}{" "}
        <Counts added={added} removed={removed} />
      </summary>
      {said.length > 0 && <pre dir="ltr">{visible(said.join("\n"))}</pre>}
      {hunks.length > 0 && (
        <Scroller className="diff-lines" label={t("Changes of {name}", { name })}>
          <table dir="ltr">
            {hunks.map(({ place, around, start, lines }) => (
              <tbody key={place}>
                <tr className="diff-hunk">
                  <th scope="rowgroup" colSpan={4}>
                    {t("Line {line}", { line: start.after })}
                    {around !== "" && <code> {visible(around)}</code>}
                  </th>
                </tr>
                {lines.map((line) => (
                  <Line key={line.place} line={line} />
                ))}
              </tbody>
            ))}
          </table>
        </Scroller>
      )}
    </details>
  );
}

function nameOf({ before, after, head }: DiffFile): string {
  if (before !== null && after !== null && before !== after) return `${before} → ${after}`;
  const named = /^(?:diff --git a\/|Index: )(.+?)(?: b\/.*)?$/.exec(head[0] ?? "")?.[1];
  return after ?? before ?? named ?? t("Text before the first file");
}

const SIGNS = {
  same: ["", ""],
  added: ["+", `${t("Added:")} `],
  removed: ["−", `${t("Removed:")} `],
  note: ["", ""],
} as const;

/** Its sign is a character, and read aloud as a word. The numbers are for people who see the table. */
function Line({ line: { kind, before, after, text } }: { line: DiffLine }): ReactElement {
  const [sign, said] = SIGNS[kind];
  return (
    <tr className={`diff-${kind}`}>
      <td className="diff-number">{before}</td>
      <td className="diff-number">{after}</td>
      <td className="diff-sign">
        <span aria-hidden="true">{sign}</span>
        <span className="unseen">{said}</span>
      </td>
      <td>
        <code>{visible(text)}</code>
      </td>
    </tr>
  );
}
