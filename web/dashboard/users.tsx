import { Page } from "./page.tsx";

export function UsersPage() {
  return <Page title="Users">Not here yet</Page>;
}
