interface Difference {
  name: string;
  /** Both as JSON text. */
  applies: (schema: string, value: string) => boolean;
}

const isDraft07 = (schema: string) => schema.includes("json-schema.org/draft-07");

/** Where Ajv says something else, and why the interpreter is not wrong. */
const DIFFERENCES: readonly Difference[] = [
  {
    name: "`dependencies` means nothing in 2020-12; Ajv applies it there as well",
    applies: (schema) => schema.includes('"dependencies"') && !isDraft07(schema),
  },
  {
    name: "beside `$ref` draft-07 ignores everything; Ajv does not",
    applies: (schema) => schema.includes('"$ref"') && isDraft07(schema),
  },
  {
    name: "Ajv leaves `__proto__` out of `properties` and its kin",
    applies: (schema, value) => schema.includes('"__proto__"') || value.includes('"__proto__"'),
  },
  {
    name: "Ajv's equality takes members named `constructor`, `valueOf` and `toString` for methods",
    applies: (schema, value) =>
      /"(?:const|enum|uniqueItems)":/.test(schema) && /"(?:constructor|valueOf|toString)":/.test(value),
  },
  {
    name: "`multipleOf` is judged by the decimals as they are written; Ajv divides doubles",
    // Of a number with an exponent it takes the digits before it for the whole number.
    applies: (schema, value) =>
      /"multipleOf":(?!\d{1,15}[,}])/.test(schema) || (schema.includes('"multipleOf"') && /\de[+-]?\d/i.test(value)),
  },
  {
    name: "`$dynamicRef`: Ajv does not follow one that names no anchor, or one of another resource",
    applies: (schema) => schema.includes('"$dynamicRef"'),
  },
];

/** The name of the known difference that explains another verdict; null when there is none. */
export function differenceOf(schema: string, value: string): string | null {
  return DIFFERENCES.find(({ applies }) => applies(schema, value))?.name ?? null;
}
