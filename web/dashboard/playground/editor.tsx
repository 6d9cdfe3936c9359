import { Textarea } from "@mantine/core";
import type { Name } from "./documents.ts";

const LABELS: Record<Name, { label: string; description: string }> = {
  payload: { label: "Payload", description: "What is to be reviewed." },
  payload_schema: { label: "Payload schema", description: "What the payload looks like, in JSON Schema." },
  response_schema: { label: "Response schema", description: "What an answer looks like; the form is made of it." },
  form_definition: { label: "Form definition", description: "Hints for both, if any." },
};

interface EditorProps {
  name: Name;
  text: string;
  /** Sentences. */
  problems: readonly string[];
  /** Sentences that do not keep it from being sent. */
  warnings: readonly string[];
  onChange: (text: string) => void;
}

export const editorId = (name: Name): string => `editor-${name}`;

/** One part of a task as JSON, with what is wrong with it below. */
export function Editor({ name, text, problems, warnings, onChange }: EditorProps) {
  return (
    <div>
      <Textarea
        {...LABELS[name]}
        id={editorId(name)}
        className="json"
        rows={9}
        spellCheck={false}
        autoCapitalize="off"
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={problems.length > 0 ? <Sentences of={problems} /> : null}
        errorProps={{ component: "div", "aria-live": "polite" }}
      />
      {warnings.length > 0 && (
        <div className="notice warn">
          <p>Hints that change nothing:</p>
          <Sentences of={warnings} />
        </div>
      )}
    </div>
  );
}

function Sentences({ of }: { of: readonly string[] }) {
  return (
    <ul className="sentences">
      {of.map((sentence) => (
        <li key={sentence} dir="auto">
          {sentence}
        </li>
      ))}
    </ul>
  );
}
