import { useQuery } from "@tanstack/react-query";
import { adoptStyles } from "../ui/later-styles.ts";

/** The divider, once it has loaded. The list and the task can be used without it. */
export function Divider() {
  const { data } = useQuery({
    queryKey: ["code", "divider"],
    queryFn: async () => {
      const [{ Divider }, styles] = await Promise.all([import("./divider.tsx"), import("./divider.css?inline")]);
      adoptStyles(styles.default);
      return { Divider };
    },
    staleTime: Infinity,
    gcTime: Infinity,
    retry: false,
  });
  return data === undefined ? null : <data.Divider />;
}
