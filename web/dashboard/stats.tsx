import { Page } from "./page.tsx";

export function StatsPage() {
  return <Page title="Stats">Not here yet</Page>;
}
