import { chmodSync, statSync } from "node:fs";

const OTHERS_MAY_WRITE = 0o002;
const STICKY = 0o1000;

/**
 * Takes the data directory away from other users of this machine, who could replace the secrets or the database. Groups may
 * keep it: volumes of containers are given to one.
 *
 * @returns a warning, or null if there was nothing to do
 * @throws Error in a sentence for the operator, if the directory is shared, such as /tmp, or belongs to another user
 */
export function protectDataDir(dataDir: string): string | null {
  const found = statSync(dataDir, { throwIfNoEntry: false });
  // Windows has no such modes.
  if (found === undefined || process.platform === "win32" || (found.mode & OTHERS_MAY_WRITE) === 0) return null;
  const mode = (found.mode & 0o777).toString(8);
  const use = "Use a directory of the service's own for SERVICE_DATA_DIR.";
  if ((found.mode & STICKY) !== 0) throw new Error(`Every user of this machine may write to ${dataDir}. ${use}`);
  try {
    chmodSync(dataDir, found.mode & 0o770);
  } catch (cause) {
    throw new Error(
      `Every user of this machine may write to ${dataDir} (mode ${mode}), and it cannot be changed. ${use}`,
      {
        cause,
      },
    );
  }
  return `Every user of this machine could write to ${dataDir} (mode ${mode}). It is now closed to other users. Check that secrets.json and the database are yours.`;
}
