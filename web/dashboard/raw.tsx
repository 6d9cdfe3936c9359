import type { Task } from "./api.ts";
import { CopyButton } from "./copy.tsx";

/** The task as an agent gets it, and the call that gets it. */
export function Raw({ task }: { task: Task }) {
  const { response, ...request } = task;
  const curl = `curl -s ${location.origin}/api/tasks/${task.id} \\\n  -H "Authorization: Bearer $SERVICE_ADMIN_API_TOKEN"`;
  return (
    <div className="task-sections">
      <Source title="Fetch it" text={curl} />
      <Source title="Response" text={JSON.stringify(response, null, 2)} />
      <Source title="Task" text={JSON.stringify(request, null, 2)} />
    </div>
  );
}

/** A text to read and to copy. */
export function Source({ title, text }: { title: string; text: string }) {
  return (
    <section className="source" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <CopyButton text={text} />
      </header>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it */}
      <pre className="snippet" tabIndex={0}>
        {text}
      </pre>
    </section>
  );
}
