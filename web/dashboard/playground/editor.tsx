import { Textarea } from "@mantine/core";
import { t } from "../../../languages/text.ts";
import type { Name } from "./documents.ts";

const LABELS: Record<Name, { label: string; description: string }> = {
  payload: { label: t("Payload"), description: t("What people review.") },
  payload_schema: { label: t("Payload schema"), description: t("The JSON Schema of the payload.") },
  response_schema: {
    label: t("Response schema"),
    description: t("The JSON Schema of the answer. The form is generated from it."),
  },
  form_definition: { label: t("Form definition"), description: t("UI hints for both schemas. Optional.") },
};

interface EditorProps {
  name: Name;
  text: string;
  /** Sentences. */
  problems: readonly string[];
  /** Sentences. They do not prevent sending. */
  warnings: readonly string[];
  onChange: (text: string) => void;
}

export const editorId = (name: Name): string => `editor-${name}`;

/** One part of a task as JSON, with its problems below. */
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
          <p>{t("Ignored hints:")}</p>
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
