interface Difference {
  name: string;
  /** Both are JSON text. */
  applies: (schema: string, value: string) => boolean;
}

const isDraft07 = (schema: string) => schema.includes("json-schema.org/draft-07");

/** Known differences from Ajv, and why the interpreter is right. */
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
    name: "Ajv ignores `__proto__` in `properties` and similar keywords",
    applies: (schema, value) => schema.includes('"__proto__"') || value.includes('"__proto__"'),
  },
  {
    name: "Ajv's equality mistakes members named `constructor`, `valueOf` and `toString` for methods",
    applies: (schema, value) =>
      /"(?:const|enum|uniqueItems)":/.test(schema) && /"(?:constructor|valueOf|toString)":/.test(value),
  },
  {
    name: "Ajv takes members named `constructor`, `valueOf` and `toString` for evaluated",
    applies: (schema, value) =>
      schema.includes('"unevaluatedProperties"') && /"(?:constructor|valueOf|toString)":/.test(value),
  },
  {
    name: "items that match `contains` are evaluated; for Ajv they are not",
    applies: (schema) => schema.includes('"unevaluatedItems"') && schema.includes('"contains"') && !isDraft07(schema),
  },
  {
    name: "`multipleOf` uses the decimals as written; Ajv divides doubles",
    // For a number with an exponent, Ajv reads only the digits before it.
    applies: (schema, value) =>
      /"multipleOf":(?!\d{1,15}[,}])/.test(schema) || (schema.includes('"multipleOf"') && /\de[+-]?\d/i.test(value)),
  },
  {
    name: "`$dynamicRef`: Ajv does not follow a reference without an anchor, or to another resource",
    applies: (schema) => schema.includes('"$dynamicRef"'),
  },
];

/** Returns the name of the known difference that explains another verdict; null when there is none. */
export function differenceOf(schema: string, value: string): string | null {
  return DIFFERENCES.find(({ applies }) => applies(schema, value))?.name ?? null;
}
