import { formatterCache } from "./formatter-cache.ts";

/** A number, or its digits as text, which avoid the rounding of JavaScript numbers. */
export type Numeric = number | Intl.StringNumericLiteral;

export interface NumberFormats {
  /**
   * `isName` means that the number identifies something, such as an order or a year. It gets no thousands separators.
   */
  number(value: Numeric, isName?: boolean): string;
  /** Returns null if the currency does not exist. */
  currency(value: Numeric, currency: string): string | null;
  /** Returns a percentage. If `isPoints`, 12 means 12 %. Otherwise 0.12 means 12 %. */
  percent(value: Numeric, isPoints: boolean): string;
  unit(value: Numeric, unit: string): string;
}

export function numberFormatsFor(locale: string): NumberFormats {
  const formatter = formatterCache((options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options));

  function plain(value: Numeric, options: Intl.NumberFormatOptions): string {
    // Intl would write all 309 digits.
    const size = Math.abs(Number(value));
    if (size >= 1e21 || (size !== 0 && size < 1e-7)) return String(value);
    return formatter(options).format(value);
  }

  return {
    number(value, isName = false) {
      return plain(value, { maximumFractionDigits: 20, useGrouping: isName ? false : "min2" });
    },
    currency(value, currency) {
      if (!/^[A-Za-z]{3}$/.test(currency)) return null;
      // Cents are never rounded away: the amount that is paid must be the amount that was read.
      const least = formatter({ style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2;
      const digits = Math.max(least, Math.min(decimals(value), 20));
      return plain(value, { style: "currency", currency, maximumFractionDigits: digits });
    },
    percent(value, isPoints) {
      if (!isPoints) return plain(value, { style: "percent", maximumFractionDigits: 4 });
      return plain(value, { style: "unit", unit: "percent", maximumFractionDigits: 20 });
    },
    unit(value, unit) {
      const options = { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 20 } as const;
      return isUnit(unit) ? plain(value, options) : `${plain(value, { maximumFractionDigits: 20 })} ${unit}`;
    },
  };
}

function decimals(value: Numeric): number {
  return /\.(\d+)$/.exec(String(value))?.[1]?.length ?? 0;
}

function isUnit(unit: string): boolean {
  try {
    return new Intl.NumberFormat("en", { style: "unit", unit }).format(1) !== "";
  } catch {
    return false;
  }
}
