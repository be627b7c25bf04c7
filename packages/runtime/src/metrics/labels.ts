import { ArgumentError } from "@homeostat/core";

/** A value for every label of a metric, and for no other. */
export type LabelValues<L extends string> = Readonly<Record<L, string>>;

/** Labels of a metric whose label names the compiler does not know. */
export type Labels = Readonly<Record<string, string>>;

const namePattern = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/** Checks the label names of a metric and puts them in the order in which they are written: by name. */
export function checkLabelNames(metric: string, names: readonly string[]): readonly string[] {
  for (const name of names) {
    if (!namePattern.test(name)) {
      throw new ArgumentError({
        argument: "labels",
        problem: `of ${metric} contain ${JSON.stringify(name)}; use letters, digits and _.`,
      });
    }
    if (name.startsWith("__")) {
      throw new ArgumentError({
        argument: "labels",
        problem: `of ${metric} contain ${name}; Prometheus keeps names with __ for itself.`,
      });
    }
  }
  if (new Set(names).size !== names.length)
    throw new ArgumentError({ argument: "labels", problem: `of ${metric} name one label twice.` });
  return names.toSorted();
}

/**
 * The labels as they stand between the braces of a sample: `controller="tenant",result="error"`.
 *
 * Two sets of values give the same text only when they are the same set, so the text also serves as their key.
 */
export function labelText(names: readonly string[], values: Labels): string {
  let text = "";
  for (const name of names) {
    // A program that is not type-checked may leave one out; to Prometheus no value and an empty one are the same.
    const value = Object.hasOwn(values, name) ? (values[name] ?? "") : "";
    text += `${text === "" ? "" : ","}${name}="${escapeLabelValue(value)}"`;
  }
  return text;
}

const special = /[\\"\n\p{Surrogate}]/u;

/** A label value as it is written between quotes. Half a surrogate pair cannot be written as UTF-8 and becomes U+FFFD. */
export function escapeLabelValue(value: string): string {
  if (!special.test(value)) return value;
  return value
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .replace(/[\\"]/g, "\\$&")
    .replace(/\n/g, "\\n");
}

/** A help text as it is written after `# HELP`. Quotes stand as they are. */
export function escapeHelp(text: string): string {
  return text
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .replace(/\\/g, "\\\\")
    .replace(/\n/g, "\\n");
}
