/** Something that happens at a time. */
interface Entry {
  /** Epoch milliseconds. */
  time: number;
  act: () => void;
  /** Nothing comes of it but another request; there may be thousands. */
  isMinor: boolean;
}

/** What is due, in order; entries of the same time stay in the order in which they were added. */
export interface Agenda {
  /** @returns what removes the entry */
  add(entry: Entry): () => void;
  /** The entry that is due next. */
  readonly next: Entry | undefined;
  /** Removes the entry that is due next. */
  shift(): void;
}

export function createAgenda(): Agenda {
  let due: Entry[] = [];
  return {
    add: (entry) => {
      const later = due.findIndex((other) => other.time > entry.time);
      due.splice(later === -1 ? due.length : later, 0, entry);
      return () => {
        due = due.filter((other) => other !== entry);
      };
    },
    get next() {
      return due[0];
    },
    shift: () => void due.shift(),
  };
}
