import { notifications } from "@mantine/notifications";
import { createElement } from "react";
import type { ReactNode } from "react";
import { t } from "../../../languages/text.ts";

interface Toast {
  message: string;
  tone?: "ok" | "bad";
  /** A button in the toast. */
  action?: { label: string; onClick: () => void };
  /** In milliseconds; false: it stays until the person closes it. */
  closesAfter?: number | false;
  /** What it is about: it takes the place of an earlier one about the same. */
  of?: string;
}

const CLOSES_AFTER_MS = 6_000;

/** The ids of toasts, by what they are about. */
const latest = new Map<string, string>();

/** Shows a message in a corner, and announces it. @returns its id */
export function toast({ message, tone = "ok", action, closesAfter = CLOSES_AFTER_MS, of }: Toast): string {
  const id = crypto.randomUUID();
  if (of !== undefined) {
    const before = latest.get(of);
    if (before !== undefined) notifications.hide(before);
    latest.set(of, id);
  }
  const act = action && {
    label: action.label,
    onClick: () => {
      notifications.hide(id);
      action.onClick();
    },
  };
  notifications.show({
    id,
    message: withAction(message, act),
    color: tone === "ok" ? "accent" : "bad",
    autoClose: closesAfter,
    closeButtonProps: { "aria-label": t("Close") },
  });
  return id;
}

export function hideToast(id: string): void {
  notifications.hide(id);
}

function withAction(message: string, action: Toast["action"]): ReactNode {
  if (!action) return message;
  const button = createElement(
    "button",
    { type: "button", className: "toast-action", onClick: action.onClick },
    action.label,
  );
  return createElement("span", { className: "toast" }, createElement("span", null, message), button);
}
