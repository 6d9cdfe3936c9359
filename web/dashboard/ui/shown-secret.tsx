import { Button, Modal } from "@mantine/core";
import { useEffect, useRef, type ReactNode } from "react";
import { t } from "../../../languages/text.ts";
import { CopyButton } from "./copy.tsx";

interface ShownSecretProps {
  title: string;
  /** Where to store it, and that it is not shown again. */
  about: string;
  secret: string;
  /** Of the button that copies it. */
  copyLabel: string;
  /** Of the button that closes the dialog. */
  closeLabel?: string;
  onClose: () => void;
  /** How it is used. */
  children?: ReactNode;
}

/** Shows a new secret once. Only its button closes the dialog, because no one can see the secret again. */
export function ShownSecret(props: ShownSecretProps) {
  const { title, about, secret, copyLabel, closeLabel = t("I have stored it"), onClose, children } = props;
  const first = useRef<HTMLParagraphElement>(null);
  useEffect(() => first.current?.focus(), []);
  return (
    <Modal
      opened
      onClose={() => undefined}
      closeOnEscape={false}
      closeOnClickOutside={false}
      withCloseButton={false}
      title={title}
      size="lg"
    >
      <div className="stack">
        <p ref={first} tabIndex={-1}>
          {about}
        </p>
        <code className="secret">{secret}</code>
        <div className="row">
          <CopyButton text={secret} label={copyLabel} />
        </div>
        {children}
        <div className="row end">
          <Button onClick={onClose}>{closeLabel}</Button>
        </div>
      </div>
    </Modal>
  );
}
