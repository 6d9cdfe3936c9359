import type { FileReference } from "../../form/payload/reference.ts";
import { listComments } from "../conversation/store.ts";
import { listVersions } from "../conversation/versions.ts";
import type { Db } from "../db/database.ts";
import { ServiceError } from "../errors.ts";
import type { Caller } from "../people/caller.ts";
import { readTask } from "../tasks/tasks.ts";
import { findReference } from "./find.ts";

/**
 * Returns the file with a digest that a task names: in what it asks now, in its comments, or in an earlier version.
 *
 * @throws ServiceError TASK_NOT_FOUND, FORBIDDEN, FILE_NOT_FOUND
 */
export async function readNamedFile(
  { db }: { db: Db },
  caller: Caller,
  id: string,
  sha256: string,
): Promise<FileReference> {
  const wanted = sha256.toLowerCase();
  const { payload } = await readTask({ db }, caller, id);
  const file =
    findReference(JSON.parse(payload), wanted) ??
    findReference(
      (await listComments(db, id)).map(({ files }) => files),
      wanted,
    ) ??
    findReference(
      (await listVersions(db, id)).map((version) => JSON.parse(version.payload) as unknown),
      wanted,
    );
  if (file === null) throw new ServiceError("FILE_NOT_FOUND");
  return file;
}
