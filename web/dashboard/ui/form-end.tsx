import { Button } from "@mantine/core";
import { t } from "../../../languages/text.ts";

interface FormEndProps {
  /** What is wrong with the form as a whole. */
  error: string | null | undefined;
  /** Of the button that submits. */
  label: string;
  busy: boolean;
  onClose: () => void;
}

/** The last lines of a form in a dialog: what is wrong with it, and its buttons. They stay in view. */
export function FormEnd({ error, label, busy, onClose }: FormEndProps) {
  return (
    <div className="stack form-end">
      {error != null && (
        <p className="notice bad" role="alert">
          {error}
        </p>
      )}
      <div className="row end">
        <Button variant="default" onClick={onClose}>
          {t("Cancel")}
        </Button>
        <Button type="submit" loading={busy}>
          {label}
        </Button>
      </div>
    </div>
  );
}
