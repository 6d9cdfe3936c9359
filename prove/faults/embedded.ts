import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { startProcess, type ServiceProcess } from "../../test/support/processes.ts";
import { startReceiver } from "../../test/support/receiver.ts";
import { shuffled, type Scene } from "./fault.ts";
import { startLoad } from "./load.ts";
import { mountSmallDisk, type SmallDisk } from "./small-disk.ts";

const DISK_MEGABYTES = 128;

/** Faults of the data directory of SQLite. */
export const embedded: Scene = {
  name: "the disk under SQLite is full or read only, or a second process wants it",
  play: async ({ random, say }) => {
    const disk = mountSmallDisk(DISK_MEGABYTES);
    const home = mkdtempSync(join(tmpdir(), "prove-embedded-"));
    const dataDir = disk?.folder ?? join(home, "data");
    if (disk === null) say("mounting is not permitted here: a file size limit stands in for the full disk");
    const start = () => startProcess({ SERVICE_DATA_DIR: dataDir });
    const receiver = await startReceiver();
    let service = await start();
    const load = startLoad(service, random, receiver);
    const violations: string[] = [];

    const fill = async () => {
      const clear = disk === null ? limitFiles(service, dataDir) : fillDisk(disk);
      try {
        await load.refusal();
      } finally {
        clear();
      }
    };
    const startASecond = async () => {
      violations.push(...(await requireRefusal(start, dataDir, "in use by another process")));
    };
    try {
      await load.progress();
      for (const strike of shuffled(random, [fill, fill, startASecond])) {
        await sleep(random.between(0, 300));
        await strike();
        await load.progress();
      }
    } catch (error) {
      violations.push(String(error));
    }
    const database = new DatabaseSync(join(dataDir, "service.db"), { readOnly: true });
    violations.push(...(await load.check(async (sql) => database.prepare(sql).all())));
    database.close();
    say(load.summary());

    await service.stop();
    if (disk === null)
      say("not shown here: a start on a data directory that is read only. It needs the permission to mount one.");
    else {
      disk.setReadOnly(true);
      violations.push(...(await requireRefusal(start, dataDir, "read-only")));
      disk.setReadOnly(false);
      service = await start();
      const { status } = await service.call("GET", "/api/tasks");
      if (status !== 200) violations.push(`After a start that was refused, the list gives ${status}`);
      await service.stop();
    }
    await receiver.close();
    disk?.remove();
    rmSync(home, { recursive: true });
    return violations;
  },
};

function fillDisk(disk: SmallDisk): () => void {
  disk.fill();
  return () => disk.clear();
}

/** Stops every file of the service from growing. @returns a function that lifts the limit */
function limitFiles(service: ServiceProcess, dataDir: string): () => void {
  const largest = Math.max(...readdirSync(dataDir).map((name) => statSync(join(dataDir, name)).size));
  const setLimit = (limit: string) =>
    void execFileSync("prlimit", ["--pid", String(service.child.pid), `--fsize=${limit}:unlimited`]);
  setLimit(String(largest));
  return () => setLimit("unlimited");
}

/** Checks that the start fails with one line that names the folder and the reason. */
async function requireRefusal(
  start: () => Promise<ServiceProcess>,
  dataDir: string,
  reason: string,
): Promise<string[]> {
  const what = `A start on a data directory that is ${reason}`;
  try {
    await (await start()).kill();
    return [`${what} succeeds`];
  } catch (error) {
    const [, code, text] = /^the service ended with code (\d+):\n(.*)$/s.exec((error as Error).message) ?? [];
    const isClear =
      code === "1" && text !== undefined && !text.includes("\n") && text.includes(dataDir) && text.includes(reason);
    return isClear ? [] : [`${what} does not end with a clear sentence: ${(error as Error).message}`];
  }
}
