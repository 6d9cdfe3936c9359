/** An environment that settings are read from, and what is wrong with it. */
export interface Environment {
  /** The value without spaces around it; undefined where it is not set or empty. */
  get(name: string): string | undefined;
  /** The entries of a value that lists them with commas. */
  list(name: string): string[];
  /** Names of all variables that are set. */
  names(): string[];
  /** Sentences for the operator; any of them keeps the service from starting. */
  problems: string[];
  warnings: string[];
}

/** The environment settings of a channel. */
export interface EnvironmentReader<T> {
  /** Of every variable that it reads. */
  names: readonly string[];
  /** Notes problems in `env`. */
  read(env: Environment): T;
}

export function createEnvironment(variables: Readonly<Record<string, string | undefined>>): Environment {
  const get = (name: string): string | undefined => variables[name]?.trim() || undefined;
  return {
    get,
    list: (name) => (get(name) ?? "").split(",").flatMap((entry) => entry.trim() || []),
    names: () => Object.keys(variables),
    problems: [],
    warnings: [],
  };
}

/** Reads a whole number; notes a problem, and returns `min`, when it is not one from `min` to `max`. */
export function readWholeNumber(
  env: Environment,
  name: string,
  { standard, min, max }: { standard: number; min: number; max: number },
): number {
  const text = env.get(name) ?? String(standard);
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  env.problems.push(`${name} is "${text}"; it must be a whole number from ${min} to ${max}.`);
  return min;
}
