/** Returns a function that calls `make` at its first call, and then uses the result of `make`. */
export function onFirstUse<A extends unknown[], R>(make: () => (...args: A) => R): (...args: A) => R {
  let made: ((...args: A) => R) | undefined;
  return (...args) => (made ??= make())(...args);
}
