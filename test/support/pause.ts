import { setTimeout as sleep } from "node:timers/promises";

/**
 * Resolves when it is time to look at something again that another program will do. Looking without a pause would take
 * the processor that the other program needs.
 */
export const pause = (): Promise<void> => sleep(10);
