import { Page } from "./page.tsx";

export function SettingsPage() {
  return <Page title="Settings">Not here yet</Page>;
}
