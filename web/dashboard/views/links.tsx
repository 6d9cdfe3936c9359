import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { t } from "../../../languages/text.ts";
import { lettersOf } from "../projects/switcher.tsx";
import { countsQuery } from "../queries.ts";
import type { Scope } from "../queries.ts";
import { countOf, refreshViews, searchOf } from "./filter.ts";
import { viewsQuery, type View } from "./shown.ts";

/** After a change, the counts of views wait this long for further ones: each is a search in all open tasks. */
const REFRESH_MS = 4_000;
/** Turns off the router's marking of links, because an open task belongs to the view that its address names. */
const NOT_BY_ADDRESS = { className: "", "aria-current": undefined };

/** The views in the navigation, with the number of their tasks. */
export function ViewLinks({ views }: { views: readonly View[] }) {
  const { pathname, search } = useRouterState({ select: ({ location }) => location });
  const address = search as Partial<Scope>;
  const here = /^\/(inbox|tasks|batch)\b/.test(pathname) ? (address.view ?? null) : null;
  useCounts();
  useShortAddress(views, here === null ? null : address);
  return (
    <>
      <p className="places-of wide-only" id="views">
        {t("Views")}
      </p>
      <ul className="views wide-only" aria-labelledby="views">
        {views.map((view) => (
          <li key={view.id}>
            <Link
              to="/inbox"
              search={searchOf(view)}
              title={view.name}
              className={view.id === here ? "place active" : "place"}
              aria-current={view.id === here ? "page" : undefined}
              activeProps={NOT_BY_ADDRESS}
            >
              <b className="logo letters" aria-hidden>
                {lettersOf(view.name)}
              </b>
              <span className="who" dir="auto">
                {view.name}
              </span>
              <Count view={view} />
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}

function Count({ view }: { view: View }) {
  if (view.problems.length === 0) return <span className="count-of">{countOf(view)}</span>;
  return (
    <span className="count-of bad" title={t("Something of this view is gone")}>
      <span className="unseen">{t("Something of this view is gone")}</span>
      <span aria-hidden>!</span>
    </span>
  );
}

/** Counts again after tasks have changed, but not at each change. */
function useCounts(): void {
  const { dataUpdatedAt: changed } = useQuery(countsQuery);
  const { dataUpdatedAt: counted } = useQuery(viewsQuery);
  useEffect(() => {
    if (changed <= counted) return undefined;
    const timer = setTimeout(() => void refreshViews(), Math.max(counted + REFRESH_MS - Date.now(), 0));
    return () => clearTimeout(timer);
  }, [changed, counted]);
}

/** Opens what the view shows now if the address says nothing but its id, as in a link that was sent to others. */
function useShortAddress(views: readonly View[], address: Partial<Scope> | null): void {
  const navigate = useNavigate();
  const opened = useRef<string | null>(null);
  const id = address?.view ?? null;
  const view = views.find((one) => one.id === id);
  const isShort = address !== null && Object.keys(address).length === 1;
  useEffect(() => {
    if (id === opened.current || (id !== null && view === undefined)) return;
    // Later, the person may have removed the last filter.
    opened.current = id;
    if (view !== undefined && isShort) void navigate({ to: ".", search: searchOf(view), replace: true });
  }, [id, view, isShort, navigate]);
}
