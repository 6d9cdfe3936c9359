import { useQuery } from "@tanstack/react-query";
import type { Me } from "../api.ts";
import type { Scope } from "../queries.ts";
import { adoptStyles } from "../ui/later-styles.ts";
import { viewsQuery } from "./shown.ts";

/** The parts of views. Without them, the list can be used as well. */
const codeQuery = {
  queryKey: ["code", "views"],
  queryFn: async () => {
    const [{ ViewLinks }, { ViewBar }, styles] = await Promise.all([
      import("./links.tsx"),
      import("./bar.tsx"),
      import("./views.css?inline"),
    ]);
    adoptStyles(styles.default);
    return { ViewLinks, ViewBar };
  },
  staleTime: Infinity,
  gcTime: Infinity,
  retry: false,
};

/** The links to views, while there are any. */
export function ViewLinks() {
  const { data: views = [] } = useQuery(viewsQuery);
  const { data: code } = useQuery({ ...codeQuery, enabled: views.length > 0 });
  return code === undefined || views.length === 0 ? null : <code.ViewLinks views={views} />;
}

/** @param isNeeded - whether the list shows something that can be saved */
export function ViewBar({ search, me, isNeeded }: { search: Scope; me: Me; isNeeded: boolean }) {
  const { data: views } = useQuery(viewsQuery);
  const isShown = views !== undefined && (isNeeded || views.length > 0);
  const { data: code } = useQuery({ ...codeQuery, enabled: isShown });
  return code === undefined || !isShown ? null : <code.ViewBar views={views} search={search} me={me} />;
}
