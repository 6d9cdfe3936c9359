import { Button } from "@mantine/core";
import { t } from "../../../languages/text.ts";
import { IconCheck, IconCopy } from "./icons.tsx";
import { useEffect, useState } from "react";
import { toast } from "./toasts.ts";

const SAID_MS = 2_000;

interface CopyButtonProps {
  text: string;
  label?: string;
  size?: "xs" | "sm";
  /** Whether there is nothing to copy. */
  disabled?: boolean;
}

/** Copies a text, and confirms it on the button. */
export function CopyButton({ text, label = t("Copy"), size = "xs", disabled = false }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SAID_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <Button
      variant="default"
      size={size}
      disabled={disabled}
      aria-live="polite"
      leftSection={copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
      onClick={() => void copy(text).then(setCopied)}
    >
      {copied ? t("Copied") : label}
    </Button>
  );
}

/** Copies a text. @returns whether it worked; if not, a toast says so */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Browsers offer the clipboard only over https and on localhost.
    toast({
      message: t("The browser does not let this page copy. Select the text and copy it yourself."),
      tone: "bad",
    });
    return false;
  }
}
