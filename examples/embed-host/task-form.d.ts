/** What the form tells its page; the payloads are those of the service's messages. */
export interface TaskFormEvents {
  /** The task is there, and the form is drawn. */
  loaded: { taskId: string };
  /** The form is as high as this, in px. The frame already is. */
  resize: { height: number };
  /** Somebody answered, and the service has stored it. */
  "task.completed": { taskId: string; response: Record<string, unknown>; completedAt: string };
  /** The form could not be loaded or sent; it says so itself, and keeps what was entered. */
  "task.error": { taskId: string | null; code: TaskErrorCode; message: string };
}

export type TaskErrorCode =
  | "INVALID_EMBED_TOKEN"
  | "EMBED_ORIGIN_NOT_ALLOWED"
  | "SERVICE_KEY_NOT_FOUND"
  | "TASK_NOT_FOUND"
  | "TASK_ALREADY_TERMINAL"
  /** Anything else. When the service answered, the message starts with its code, such as `VALIDATION_FAILED`. */
  | "internal";

export interface TaskFormOptions {
  /** The form is put at its end. */
  element: Element;
  /**
   * Asks your server for an `embed_url`: when the form is made, and again when a token has ended while somebody writes. An
   * error's `code` is told on as the code of `task.error`.
   */
  embedUrl: () => Promise<string>;
  on?: { [Type in keyof TaskFormEvents]?: (payload: TaskFormEvents[Type]) => void };
  /** `auto`: as the page around, or else the system, has it. */
  theme?: "light" | "dark" | "auto";
  /** `#rrggbb`; passed over where it could not be read. */
  accent?: string;
  /** How numbers and times are written, such as `de-CH`. */
  locale?: string;
  /** What assistive technology calls the frame. Default: "Task form". */
  title?: string;
}

export interface TaskForm {
  readonly frame: HTMLIFrameElement;
  /** Takes the form away, and listens no more. */
  remove(): void;
}

/** Shows the form of a task in this page. */
export function mountTaskForm(options: TaskFormOptions): TaskForm;
