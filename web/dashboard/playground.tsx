import { Page } from "./page.tsx";

export function PlaygroundPage() {
  return <Page title="Playground">Not here yet</Page>;
}
