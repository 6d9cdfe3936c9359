import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Scope } from "../queries.ts";
import { countWord } from "./figures.ts";

interface CountLinkProps {
  count: number;
  /** The filters of the inbox that list what is counted; null: no list has it. */
  list: Partial<Scope> | null;
  /** What is shown in place of the count. */
  children?: ReactNode;
}

/** A number that opens the list of what it counts, unless that is empty. */
export function CountLink({ count, list, children = countWord(count) }: CountLinkProps) {
  if (count === 0 || list === null) return <>{children}</>;
  return (
    <Link to="/inbox" search={list}>
      {children}
    </Link>
  );
}
