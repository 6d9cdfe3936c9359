import { renderToString } from "preact-render-to-string";
import { toPreact } from "../../preact.ts";
import { PayloadFixturePage } from "./fixture-page.tsx";
import { Markdown } from "./markdown.tsx";
import { TextDiff } from "./text-diff.tsx";

/** A fixture's page as HTML that is complete without scripts. */
export function renderFixture(name: string): string {
  return renderToString(toPreact(<PayloadFixturePage name={name} />));
}

/** As before the modules for Markdown and changes of texts have come. */
export function renderFixtureWithoutParts(name: string): string {
  return renderToString(toPreact(<PayloadFixturePage name={name} parts={{}} />));
}

export function renderMarkdown(text: string): string {
  return renderToString(toPreact(<Markdown text={text} />));
}

export function renderTextDiff(before: string, after: string): string {
  return renderToString(toPreact(<TextDiff before={before} after={after} otherwise={<i>otherwise</i>} />));
}
