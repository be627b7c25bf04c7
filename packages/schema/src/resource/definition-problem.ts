import { isRecord, ownValue } from "@homeostat/core";
import { invalid, type Problem } from "../problem/problem.ts";

/**
 * Returns a problem of a schema in the terms of the definition that the schema was made from.
 *
 * An API server names places of the manifest, `openAPIV3Schema.properties[spec].properties[image].default`, and prints a
 * rule with all its fields. Whoever wrote the definition looks for `spec.image.default` and for the expression.
 */
export function inDefinition(problem: Problem): Problem {
  const path = definitionPath(problem.path);
  const expression = isRecord(problem.value) ? ownValue(problem.value, "rule") : undefined;
  // Limits are named by the keyword of the schema; the builder has one method for all of them.
  const hint = problem.hint?.replaceAll(/max(?:Items|Length|Properties) on/g, ".max() on") ?? hintFor(problem);
  return {
    ...(typeof expression === "string" ? invalid(path, { value: expression }, problem.detail) : { ...problem, path }),
    ...(hint === undefined ? {} : { hint }),
  };
}

function definitionPath(path: string): string {
  const below = path.replace(/^openAPIV3Schema\./, "");
  return below.replace(
    /(?<=^|\.)(?:properties\[([^\]]*)\]|x-kubernetes-validations)|\.(?:items|additionalProperties)(?=\.|$)/g,
    (match, name: string | undefined) => name ?? (match.startsWith(".") ? "[*]" : "rules"),
  );
}

/** What to do about mistakes that are made often, and whose message says only what is wrong. */
function hintFor({ path, detail }: Problem): string | undefined {
  const partOfObject = /undefined field '(spec|status|metadata)'/.exec(detail)?.[1];
  if (partOfObject !== undefined && path.includes("properties[")) {
    return (
      "In the rule of a field, self is the value of that field. " +
      `A rule that looks at self.${partOfObject} belongs in rules of the resource.`
    );
  }
  if (detail.startsWith("must be atomic as item of a list")) {
    return 'End the list with .mapBy("key") or .atomic(), or make its items .atomic().';
  }
  return undefined;
}
