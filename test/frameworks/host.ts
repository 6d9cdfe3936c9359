/*
 * Runs programs of pages: each one that its parent names, in this process, so that frameworks are loaded once. What the programs
 * print is its output.
 */

export interface Start {
  /** URL of the program. */
  url: string;
  /** Variables that the program reads when it starts. */
  env: Record<string, string>;
}

process.on("message", ({ url, env }: Start) => {
  Object.assign(process.env, env);
  void import(url);
});
