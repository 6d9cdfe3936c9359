/**
 * Returns whether `value` is a whole multiple of `divisor`, both as decimal numbers in their shortest notation. 19.99
 * is a multiple of 0.01, which binary division denies. The result is exact for every finite double, 5e-324 and 1.7e308
 * included. The cost is bounded by their exponents (about 2,000 bits). Returns false for NaN and infinities.
 */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  if (!Number.isFinite(value) || !Number.isFinite(divisor)) return false;
  const a = decimalOf(value);
  const b = decimalOf(divisor);
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = a.digits * 10n ** BigInt(a.exponent - exponent);
  return scaled % (b.digits * 10n ** BigInt(b.exponent - exponent)) === 0n;
}

/** Returns the maximum cost of `isMultipleOf` in steps. It grows with the number of digits between the two numbers. */
export function multipleOfSteps(value: number, divisor: number): number {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return 1;
  return 20 + Math.ceil((sizeOf(value) + sizeOf(divisor)) / 2);
}

function sizeOf(number: number): number {
  return number === 0 || !Number.isFinite(number) ? 0 : Math.abs(Math.log10(Math.abs(number)));
}

/** Returns `number` as digits times a power of ten, from its shortest notation. */
function decimalOf(number: number): { digits: bigint; exponent: number } {
  const [mantissa = "0", exponent = "0"] = String(Math.abs(number)).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}
