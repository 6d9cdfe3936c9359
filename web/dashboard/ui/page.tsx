import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useRouter } from "@tanstack/react-router";
import type { ErrorComponentProps } from "@tanstack/react-router";
import { useEffect } from "react";
import type { ReactNode } from "react";
import { t } from "../../../languages/text.ts";
import { ApiError } from "../api.ts";
import { countsQuery, meQuery } from "../queries.ts";

/** Sets the title of the browser tab. @param isCounted - includes the number of open tasks */
export function usePageTitle(name: string, isCounted = true): void {
  const { data: counts } = useQuery(countsQuery);
  const open = isCounted ? (counts?.open ?? 0) : 0;
  useEffect(() => {
    document.title = `${open > 0 ? `(${open}) ` : ""}${name} - Human Task Service`;
  }, [name, open]);
}

interface PageProps {
  title: string;
  /** One line below the title. */
  about?: ReactNode;
  /** The available actions, beside the title. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A page beside the inbox: its heading and its content. */
export function Page({ title, about, actions, children }: PageProps) {
  usePageTitle(title);
  return (
    <main id="main" className="page" tabIndex={-1}>
      <div className="page-inner">
        <header className="page-head">
          <div>
            <h1>{title}</h1>
            {about !== undefined && <p className="muted">{about}</p>}
          </div>
          {actions !== undefined && <div className="row">{actions}</div>}
        </header>
        {children}
      </div>
    </main>
  );
}

/**
 * Returns an error as text for a person: the service's own sentence and its code, or that the service did not respond.
 */
export function sentenceOf(error: unknown): string {
  // The dialog that asks for the password is above the page.
  if (error instanceof ApiError && error.code === "UNAUTHENTICATED") return t("You are signed out.");
  if (error instanceof ApiError) return `${error.message} (${error.code})`;
  return error instanceof Error ? error.message : t("Something went wrong.");
}

/** Shows that something could not be loaded, with a button to retry. */
export function ErrorPanel({ title, error, retry }: { title: string; error: Error; retry: () => void }) {
  return (
    <div className="empty" role="alert">
      <h2>{title}</h2>
      <p>{sentenceOf(error)}</p>
      <Button variant="default" onClick={retry}>
        {t("Try again")}
      </Button>
    </div>
  );
}

const LOOK_MS = 15_000;

/** A whole page that explains why it has no other content. */
function Instead({ title, children }: { title: string; children?: ReactNode }) {
  usePageTitle(title);
  return (
    <main id="main" className="page" tabIndex={-1}>
      <div className="empty">
        <h1>{title}</h1>
        {children}
        <Link to="/inbox">{t("Back to the inbox")}</Link>
      </div>
    </main>
  );
}

export function Forbidden() {
  // They may have become an operator since. The page that they wanted then takes the place of this one.
  useQuery({ ...meQuery, staleTime: 0, refetchInterval: LOOK_MS });
  return (
    <Instead title={t("Only operators can see this page")}>
      <p>{t("Ask an operator of this service for access.")}</p>
    </Instead>
  );
}

export function NotFound() {
  return <Instead title={t("Page not found")} />;
}

/** Shows an error of the page itself. */
export function Crash({ error }: ErrorComponentProps) {
  const router = useRouter();
  useEffect(() => console.error(error), [error]);
  return (
    <main id="main" className="alone" tabIndex={-1}>
      <h1>{t("Something went wrong")}</h1>
      <p>{t("Your answers are kept as a draft. If it happens again, give an operator the details below.")}</p>
      <pre className="snippet">{error instanceof Error ? error.message : String(error)}</pre>
      <div className="row">
        <Button onClick={() => location.reload()}>{t("Reload")}</Button>
        <Button variant="default" onClick={() => void router.navigate({ to: "/inbox" })}>
          {t("Back to the inbox")}
        </Button>
      </div>
    </main>
  );
}
