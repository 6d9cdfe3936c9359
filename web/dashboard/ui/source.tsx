import { CopyButton } from "./copy.tsx";

/** A text to read and copy. */
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
