import { ArgumentError } from "@homeostat/core";

/** A value for each label of a metric. */
export type LabelValues<L extends string> = Readonly<Record<L, string>>;

/** Label values of a metric whose label names are not known to the compiler. */
export type Labels = Readonly<Record<string, string>>;

const namePattern = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/** Validates the label names of a metric and returns them sorted, the order in which they are exposed. */
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
        problem: `of ${metric} contain ${name}; Prometheus reserves names that start with __.`,
      });
    }
  }
  if (new Set(names).size !== names.length)
    throw new ArgumentError({ argument: "labels", problem: `of ${metric} contain a duplicate name.` });
  return names.toSorted();
}

/**
 * Formats the labels as between the braces of a sample: `controller="tenant",result="error"`.
 *
 * Different values give different texts, so the text also serves as the key of a series.
 */
export function labelText(names: readonly string[], values: Labels): string {
  let text = "";
  for (const name of names) {
    // A program without type checking may omit a value. To Prometheus, an absent and an empty value are the same.
    const value = Object.hasOwn(values, name) ? (values[name] ?? "") : "";
    text += `${text === "" ? "" : ","}${name}="${escapeLabelValue(value)}"`;
  }
  return text;
}

const special = /[\\"\n\p{Surrogate}]/u;

/** Escapes a label value for the text format. An unpaired surrogate cannot be encoded as UTF-8 and becomes U+FFFD. */
export function escapeLabelValue(value: string): string {
  if (!special.test(value)) return value;
  return value
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .replace(/[\\"]/g, "\\$&")
    .replace(/\n/g, "\\n");
}

/** Escapes a help text for `# HELP`. Quotes are not escaped there. */
export function escapeHelp(text: string): string {
  return text
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .replace(/\\/g, "\\\\")
    .replace(/\n/g, "\\n");
}
