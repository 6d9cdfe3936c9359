// Shows the form of a task in a page of yours, and tells you what becomes of it. Copy this file and task-form.d.ts into your
// product; it needs nothing else.

/** A token that ends sooner than this after the last one was asked for is not a matter of time. */
const RENEWED_EVERY_MS = 5000;

/** @type {typeof import("./task-form.d.ts").mountTaskForm} */
export function mountTaskForm({ element, embedUrl, on = {}, theme, accent, locale, title = "Task form" }) {
  const frame = document.createElement("iframe");
  frame.title = title;
  // It may not lead this page elsewhere.
  frame.setAttribute(
    "sandbox",
    "allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox",
  );
  // The form checks whose page it is in.
  frame.referrerPolicy = "strict-origin";
  frame.style.cssText = "display:block;width:100%;height:160px;border:0;color-scheme:inherit";
  let origin = "";
  let asked = 0;

  const open = async () => {
    asked = Date.now();
    try {
      const url = new URL(await embedUrl());
      for (const [name, value] of Object.entries({ theme, accent, locale }))
        if (value !== undefined) url.searchParams.set(name, value);
      origin = url.origin;
      if (!frame.isConnected) {
        frame.src = url.href;
        element.append(frame);
      } else {
        // Only the fragment is another one: the form stays as it is, and takes the fresh token.
        frame.contentWindow?.location.replace(url.href);
      }
    } catch (error) {
      const { code = "internal", message } = /** @type {Error & { code?: never }} */ (error);
      on["task.error"]?.({ taskId: null, code, message });
    }
  };

  /** @param {MessageEvent} event */
  const hear = ({ source, origin: from, data }) => {
    // Any page may send messages to this one: only those of this very frame count, while the service is in it.
    if (source !== frame.contentWindow || from !== origin || data?.source !== "service") return;
    const { type, payload } = data;
    if (type === "resize") frame.style.height = `${payload.height}px`;
    const hasEnded = type === "task.error" && payload.code === "INVALID_EMBED_TOKEN";
    if (hasEnded && Date.now() - asked > RENEWED_EVERY_MS) void open();
    else if (type in EVENTS) on[/** @type {"loaded"} */ (type)]?.(payload);
  };
  addEventListener("message", hear);
  void open();

  return {
    frame,
    remove: () => {
      removeEventListener("message", hear);
      frame.remove();
    },
  };
}

const EVENTS = { loaded: 1, resize: 1, "task.completed": 1, "task.error": 1 };
