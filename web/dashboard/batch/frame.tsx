import { useEffect, useRef } from "react";
import type { ReactNode } from "react";
import { t } from "../../../languages/text.ts";
import { IconArrowLeft } from "../ui/icons.tsx";

interface FrameProps {
  title: string;
  about?: ReactNode;
  back: () => void;
  children: ReactNode;
}

/** A heading, which takes the focus when it is shown first, and the content below it. */
export function Frame({ title, about, back, children }: FrameProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <>
      <header className="task-head">
        <div className="task-state batch-head">
          <button type="button" className="back" aria-label={t("Back to the list")} onClick={back}>
            <IconArrowLeft size={16} stroke={1.75} aria-hidden />
          </button>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
        </div>
        {about !== undefined && <div className="muted">{about}</div>}
      </header>
      {children}
    </>
  );
}
