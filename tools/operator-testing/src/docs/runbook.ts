import { isRecord } from "@homeostat/core";
import type { Resource } from "@homeostat/schema";

/** Subjects that a runbook must explain. */
export interface RunbookSubjects {
  readonly phases: readonly string[];
  /** The reasons of each condition type. */
  readonly conditions: Readonly<Record<string, readonly string[]>>;
  /** The reasons of events. */
  readonly events: readonly string[];
  readonly metrics: readonly string[];
}

/** Differences between a runbook and its subjects. All lists are empty for a page that is complete. */
export interface RunbookProblems {
  /** Subjects that the page does not contain in backticks. */
  readonly missing: readonly string[];
  /** Metrics on the page that do not exist. */
  readonly unknownMetrics: readonly string[];
}

/** Compares a runbook with what it must explain. `metricPrefixes` mark the words of the page that are metrics: `locust_`. */
export function checkRunbook(
  page: string,
  { phases, conditions, events, metrics }: RunbookSubjects,
  { metricPrefixes }: { readonly metricPrefixes: readonly string[] },
): RunbookProblems {
  const words = new Set([...page.matchAll(/`(\w+)`/g)].map(([, word = ""]) => word));
  const subjects = [...phases, ...Object.keys(conditions), ...Object.values(conditions).flat(), ...events, ...metrics];
  return {
    missing: [...new Set(subjects)].filter((word) => !words.has(word)),
    unknownMetrics: [...words].filter((word) => hasPrefix(word, metricPrefixes) && !metrics.includes(word)),
  };
}

/** Returns the values of `.status.phase` in the storage version of a CRD; none when the kind has no phase. */
export function phasesOf(resource: Pick<Resource, "crd">): readonly string[] {
  const version = resource.crd().spec.versions.find(({ storage }) => storage);
  let schema: unknown = version?.schema?.openAPIV3Schema;
  for (const field of ["status", "phase"]) {
    const properties: unknown = isRecord(schema) ? schema["properties"] : undefined;
    schema = isRecord(properties) ? properties[field] : undefined;
  }
  const values: unknown = isRecord(schema) ? schema["enum"] : undefined;
  return Array.isArray(values) ? values.map(String) : [];
}

/** Returns the reasons of the events in a source file: every `reason: "REASON"` and `warning("REASON", ...)`. */
export function eventReasons(source: string): readonly string[] {
  return [...source.matchAll(/(?:reason: |\bwarning\()"(\w+)"/g)].map(([, reason = ""]) => reason);
}

/** Returns the names of the metrics in a source file: every string with one of the prefixes. */
export function metricNames(source: string, prefixes: readonly string[]): readonly string[] {
  return [...new Set([...source.matchAll(/"(\w+)"/g)].map(([, name = ""]) => name))].filter((name) =>
    hasPrefix(name, prefixes),
  );
}

function hasPrefix(word: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => word.startsWith(prefix));
}
