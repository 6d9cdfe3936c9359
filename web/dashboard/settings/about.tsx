import { useQuery } from "@tanstack/react-query";
import { versionQuery } from "./queries.ts";

const PAGES = [
  { href: "/api/docs", label: "API docs", about: "Try the API." },
  { href: "/api/redoc", label: "API reference", about: "Read the reference." },
  { href: "/docs/troubleshooting", label: "Troubleshooting", about: "What each error means and how to fix it." },
];

export function About() {
  const { data } = useQuery(versionQuery);
  return (
    <dl className="surface facts">
      <div>
        <dt>Version</dt>
        <dd>Human Task Service {data?.version}</dd>
      </div>
      <div>
        <dt>Licence</dt>
        <dd>Apache License 2.0</dd>
      </div>
      {PAGES.map(({ href, label, about }) => (
        <div key={href}>
          <dt>
            <a href={href}>{label}</a>
          </dt>
          <dd className="muted">{about}</dd>
        </div>
      ))}
    </dl>
  );
}
