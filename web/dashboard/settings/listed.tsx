import { Button } from "@mantine/core";
import { Children, type ReactNode } from "react";

interface ListedProps {
  /** What these things are for. */
  about: ReactNode;
  /** Of the button that adds one: "Add a calendar". */
  add: string;
  onAdd: () => void;
  /** What is shown while there are none. */
  empty: string;
  /** `ListedItem`s. */
  children: ReactNode;
}

/** Things that operators add, change and delete. */
export function Listed({ about, add, onAdd, empty, children }: ListedProps) {
  return (
    <>
      <div className="stack">
        <p>{about}</p>
        <div className="row">
          <Button onClick={onAdd}>{add}</Button>
        </div>
      </div>
      {Children.count(children) === 0 ? (
        <p className="muted">{empty}</p>
      ) : (
        <dl className="surface facts">{children}</dl>
      )}
    </>
  );
}

interface ListedItemProps {
  name: ReactNode;
  /** Its buttons and links. */
  actions: ReactNode;
  children: ReactNode;
}

/** One of the things in a list: what is known about it, and what can be done with it. */
export function ListedItem({ name, actions, children }: ListedItemProps) {
  return (
    <div>
      <dt>
        <bdi>{name}</bdi>
      </dt>
      <dd>
        {children}
        <div className="row">{actions}</div>
      </dd>
    </div>
  );
}
