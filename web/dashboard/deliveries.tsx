import { Page } from "./page.tsx";

export function DeliveriesPage() {
  return <Page title="Deliveries">Not here yet</Page>;
}
