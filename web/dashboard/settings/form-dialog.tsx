import { Modal } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { t } from "../../../languages/text.ts";
import { FormEnd } from "../ui/form-end.tsx";
import { errorsByField, focusFirstError, type Errors } from "./form.tsx";
import "../operate.css";

/** Returns the properties of a field: its name, which is its JSON Pointer in the request, and its error. */
export type Field = (name: string) => { name: string; error: string | undefined; autoComplete: string };

interface FormDialogProps {
  title: string;
  /** Of the button that submits. */
  label: string;
  size?: "md" | "lg";
  /** Sends what was entered. Its errors are shown at their fields, or else above the buttons. */
  send: (form: HTMLFormElement) => Promise<void>;
  onChange?: (form: HTMLFormElement) => void;
  onClose: () => void;
  /** After it was accepted, something else takes its place, such as a new secret. Until then, it cannot be closed. */
  staysOpen?: boolean;
  /** @param clearErrors - for errors whose fields are about to get other names */
  children: (field: Field, clearErrors: () => void) => ReactNode;
}

/** A form in a dialog that closes when the form was accepted. */
export function FormDialog(props: FormDialogProps) {
  const { title, label, size = "md", send, onChange, onClose, staysOpen = false, children } = props;
  const [errors, setErrors] = useState<Errors>({});
  const [busy, setBusy] = useState(false);
  const submit = async (form: HTMLFormElement): Promise<void> => {
    setBusy(true);
    setErrors({});
    try {
      await send(form);
      if (!staysOpen) onClose();
    } catch (failure) {
      const errors = errorsByField(failure, form);
      setErrors(errors);
      setBusy(false);
      focusFirstError(errors, form);
    }
  };
  const leave = (): void => {
    if (!(busy && staysOpen)) onClose();
  };
  const field: Field = (name) => ({ name, error: errors[name], autoComplete: "off" });
  return (
    <Modal
      opened
      onClose={leave}
      title={title}
      size={size}
      // It would write a style element, which the page's policy forbids.
      lockScroll={false}
      closeButtonProps={{ "aria-label": t("Close") }}
    >
      <form
        className="stack"
        noValidate
        autoComplete="off"
        onChange={({ target, currentTarget }) => {
          // What was wrong may not be wrong any more.
          const changed = (target as EventTarget & { name?: string }).name;
          setErrors((errors) => Object.fromEntries(Object.entries(errors).filter(([name]) => name !== changed)));
          onChange?.(currentTarget);
        }}
        onSubmit={(event) => {
          event.preventDefault();
          void submit(event.currentTarget);
        }}
      >
        {children(field, () => setErrors({}))}
        <FormEnd error={errors[""]} label={label} busy={busy} onClose={leave} />
      </form>
    </Modal>
  );
}
