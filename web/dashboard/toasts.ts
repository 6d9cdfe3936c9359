import { notifications } from "@mantine/notifications";
import { createElement } from "react";
import type { ReactNode } from "react";

interface Toast {
  message: string;
  tone?: "ok" | "bad";
  /** What can be done about it while it is shown. */
  action?: { label: string; onClick: () => void };
}

/** Says in a corner what has just happened, aloud as well. */
export function toast({ message, tone = "ok", action }: Toast): void {
  const id = crypto.randomUUID();
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
    color: tone === "ok" ? "accent" : "red",
    autoClose: 6_000,
    closeButtonProps: { "aria-label": "Close" },
  });
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
