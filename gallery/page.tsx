import { useState } from "react";
import type { Finding } from "../form/plan/check.ts";
import type { Outcome } from "../web/form/answer-form.tsx";
import { PayloadFixturePage } from "../web/form/payload/fixtures/page.tsx";
import type { TaskFormProps } from "../form/plan/task-form.ts";
import { TaskForm } from "../web/form/task-form.tsx";
import "../web/form/payload/payload.css";
import "../web/tokens.css";
import "../web/form/form.css";
import "./gallery.css";

/**
 * The data that the server puts into a page as `<script type="application/json">`: a form, or the name of a payload.
 */
export type PageData = FormPageData | { payload_fixture: string };

interface FormPageData extends TaskFormProps {
  /** The address that receives an answer as JSON. */
  readonly answer_to: string;
}

/** Renders the form of the page with either library. */
export function drawPage(draw: (form: React.ReactElement, root: Element) => void): void {
  const data = JSON.parse(document.querySelector("#data")!.textContent) as PageData;
  const root = document.querySelector("#form")!;
  draw("payload_fixture" in data ? <PayloadFixturePage name={data.payload_fixture} /> : <FormPage {...data} />, root);
}

function FormPage({ answer_to, ...props }: FormPageData) {
  const [said, setSaid] = useState<string | null>(null);
  const onAnswer = async (response: unknown): Promise<Outcome> => {
    const answer = await fetch(answer_to, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ response }),
    });
    const text = await answer.text();
    if (answer.ok) {
      setSaid(text);
      return { kind: "accepted" };
    }
    return { kind: "refused", findings: findingsOf(text) };
  };
  return (
    <>
      <TaskForm {...props} onAnswer={onAnswer} />
      {said !== null && (
        <pre id="answer" dir="auto">
          {said}
        </pre>
      )}
    </>
  );
}

/** Returns the error details in the answer of the service. */
function findingsOf(text: string): readonly Finding[] {
  const { details = [] } = JSON.parse(text) as { details?: readonly Finding[] };
  return details.map((detail) => ({ ...detail, path: detail.path.replace(/^\/response/, "") }));
}
