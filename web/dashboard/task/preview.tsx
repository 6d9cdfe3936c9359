import { createContext, useContext, useEffect, useRef, useState } from "react";
import { as, t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import type { ShownReference } from "../../../form/payload/reference.ts";
import { Picture } from "../../form/payload/image.tsx";
import { getFile } from "../api.ts";
import { sentenceOf } from "../ui/page.tsx";

/** Id of the task that names the files below; null if nothing is known of them. */
export const TaskOfFiles = createContext<string | null>(null);

/** Shows a file when a person presses a button. The service fetches it, so its host learns nothing about the person. */
export function Preview({ file }: { file: ShownReference }) {
  const task = useContext(TaskOfFiles);
  // Another version of the task may name another file at the same place.
  return task === null ? null : <PreviewOf key={`${task} ${file.sha256}`} task={task} file={file} />;
}

function PreviewOf({ task, file }: { task: string; file: ShownReference }) {
  /** Address of the content, in this page. */
  const [content, setContent] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isLoading, setIsLoading] = useState(false);
  const loading = useRef<AbortController>(null);
  useEffect(() => () => loading.current?.abort(), []);
  useEffect(
    () => () => {
      if (content !== null) URL.revokeObjectURL(content);
    },
    [content],
  );
  const toggle = async () => {
    setProblem(null);
    if (content !== null) return setContent(null);
    const controller = new AbortController();
    loading.current = controller;
    setIsLoading(true);
    try {
      const path = `/api/tasks/${encodeURIComponent(task)}/files/${file.sha256}`;
      const blob = await getFile(path, controller.signal);
      if (!controller.signal.aborted) setContent(URL.createObjectURL(blob));
    } catch (error) {
      if (!controller.signal.aborted) setProblem(sentenceOf(error));
    }
    setIsLoading(false);
  };
  const label = isLoading ? t("Loading") : content === null ? as("verb", "Preview") : t("Hide preview");
  return (
    <>
      <button
        type="button"
        className="payload-load"
        aria-label={`${label}: ${file.name}`}
        aria-expanded={content !== null}
        aria-disabled={isLoading}
        onClick={() => void (isLoading || toggle())}
      >
        {label}
      </button>
      {problem !== null && (
        <p className="payload-note" role="alert">
          {problem}
        </p>
      )}
      {content !== null && <Content file={file} content={content} />}
    </>
  );
}

function Content({ file, content }: { file: ShownReference; content: string }) {
  if (file.is_image) return <Picture src={content} title={file.name} />;
  // Some browsers, most of them on phones, show no PDF inside a page.
  // oxlint-disable-next-line react/iframe-missing-sandbox -- viewers for PDF do not run in a sandbox, and have their own
  if (navigator.pdfViewerEnabled) return <iframe src={content} title={file.name} width="100%" height={600} />;
  return (
    <p className="payload-note">
      {rich("This browser cannot show PDF here. {link}", {
        link: (
          <a href={content} download={file.name}>
            {t("Save the checked file")}
          </a>
        ),
      })}
    </p>
  );
}
