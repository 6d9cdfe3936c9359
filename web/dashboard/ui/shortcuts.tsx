import { Modal } from "@mantine/core";
import { t } from "../../../languages/text.ts";
import { lazily } from "./lazily.tsx";

const ShortcutList = lazily("shortcuts", async () => (await import("./shortcut-list.tsx")).ShortcutList);

/** Lists all keys with their actions. */
export function Shortcuts({ onClose }: { onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title={t("Shortcuts")} centered closeButtonProps={{ "aria-label": t("Close") }}>
      <ShortcutList />
      <p className="muted">{t("Inactive while typing. Turn off single-key shortcuts in Settings.")}</p>
    </Modal>
  );
}
