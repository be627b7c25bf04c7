import { isRecord, ownValue } from "@homeostat/core";
import { invalid, type Problem } from "../problem/problem.ts";

/**
 * Translates a problem of the generated schema into one of the definition that the schema was generated from.
 *
 * The API server uses paths of the manifest, such as `openAPIV3Schema.properties[spec].properties[image].default`, and prints a
 * rule as JSON with all its fields. The author of the definition looks for `spec.image.default` and for the expression.
 */
export function toDefinitionProblem(problem: Problem): Problem {
  const path = definitionPath(problem.path);
  const expression = isRecord(problem.value) ? ownValue(problem.value, "rule") : undefined;
  // The hint names schema keywords (maxItems, maxLength, maxProperties); the builder sets all three with `.max()`.
  const hint = problem.hint?.replaceAll(/max(?:Items|Length|Properties) on/g, ".max() on") ?? hintFor(problem);
  return {
    ...(typeof expression === "string" ? invalid(path, { value: expression }, problem.detail) : { ...problem, path }),
    ...(hint === undefined ? {} : { hint }),
  };
}

function definitionPath(path: string): string {
  const relative = path.replace(/^openAPIV3Schema\./, "");
  return relative.replace(
    /(?<=^|\.)(?:properties\[([^\]]*)\]|x-kubernetes-validations)|\.(?:items|additionalProperties)(?=\.|$)/g,
    (match, name: string | undefined) => name ?? (match.startsWith(".") ? "[*]" : "rules"),
  );
}

/** Returns what to do about a common mistake; undefined for all other problems. */
function hintFor({ path, detail }: Problem): string | undefined {
  const partOfObject = /undefined field '(spec|status|metadata)'/.exec(detail)?.[1];
  if (partOfObject !== undefined && path.includes("properties[")) {
    return (
      "In the rule of a field, self is the value of that field. " +
      `Move a rule that uses self.${partOfObject} to the rules of the resource.`
    );
  }
  if (detail.startsWith("must be atomic as item of a list")) {
    return 'End the list with .mapBy("key") or .atomic(), or make its items .atomic().';
  }
  return undefined;
}
