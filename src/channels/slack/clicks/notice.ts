import type { ModalView } from "@slack/types";
import { plainLines } from "../../../../form/plain-text.ts";
import { fitText, line, MAX } from "../modal/text.ts";

/** Returns a modal with a message only. */
export function noticeView(title: string, text: string): ModalView {
  return {
    type: "modal",
    title: line(title.length <= MAX.viewTitle ? title : "Your answer", MAX.viewTitle),
    close: line("Close", MAX.viewTitle),
    blocks: [
      ...(title.length <= MAX.viewTitle ? [] : [{ type: "header" as const, text: line(title, MAX.header) }]),
      { type: "section", text: { type: "plain_text", text: fitText(plainLines(text), MAX.section) || "-" } },
    ],
  };
}
