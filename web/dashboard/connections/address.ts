import { textOf } from "../settings/form.tsx";
import type { Connection, Kind } from "./queries.ts";

/** A field of the address of an engine. */
interface AddressField {
  name: string;
  /** Sentences. */
  about: string;
  isRequired: boolean;
  isNumber: boolean;
}

/** The part of JSON Schema that kinds use. */
interface Shape {
  properties?: Record<string, { type?: string; description?: string }>;
  required?: string[];
}

/** Returns the fields of a kind: those that are required first. */
export function fieldsOf({ address }: Pick<Kind, "address">): AddressField[] {
  const { properties = {}, required = [] } = address as Shape;
  const fields = Object.entries(properties).map(([name, { type, description = "" }]) => ({
    name,
    about: description,
    isRequired: required.includes(name),
    isNumber: type === "integer" || type === "number",
  }));
  return fields.toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired));
}

/** Reads an address. Empty fields are left out, and the service says what is wrong with a number that is none. */
export function readAddress(form: HTMLFormElement, kind: Kind): Connection["address"] {
  const entries = fieldsOf(kind).map(({ name, isNumber }) => {
    const text = textOf(form, `/address/${name}`).trim();
    return [name, isNumber && /^\d+$/.test(text) ? Number(text) : text] as const;
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== ""));
}
