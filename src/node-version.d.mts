/** The oldest Node that this service runs on, major and minor. Importing it ends the process with a sentence on an older one. */
export const NEEDED: readonly [number, number];
