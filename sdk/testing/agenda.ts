/** An event at a certain time. */
interface Entry {
  /** Epoch milliseconds. */
  time: number;
  act: () => void;
  /** It only causes another request. There may be thousands of such entries. */
  isMinor: boolean;
}

/** Entries in the order of time. Entries of the same time keep the order in which they were added. */
export interface Agenda {
  /** @returns a function that removes the entry */
  add(entry: Entry): () => void;
  /** The next entry. */
  readonly next: Entry | undefined;
  /** Removes the next entry. */
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
