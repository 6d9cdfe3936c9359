import { IconButton } from "../shell.tsx";
import { IconSidebar } from "../ui/icons.tsx";
import { setPreferences, usePreferences } from "../ui/preferences.ts";

/** Shows the list and the task beside each other, or one of them at the full width. */
export function WidthButton({ label }: { label: string }) {
  const { isWide } = usePreferences();
  return (
    <IconButton label={label} onClick={() => setPreferences({ isWide: !isWide })}>
      <IconSidebar size={16} stroke={1.75} aria-hidden />
    </IconButton>
  );
}
