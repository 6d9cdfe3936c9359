/** Returns a function that creates each formatter once, because the platform's formatters are expensive to create. */
export function formatterCache<Options, Formatter>(
  make: (options: Options) => Formatter,
): (options: Options) => Formatter {
  const made = new Map<string, Formatter>();
  return (options) => {
    const id = JSON.stringify(options);
    const known = made.get(id);
    if (known !== undefined) return known;
    const formatter = make(options);
    made.set(id, formatter);
    return formatter;
  };
}
