// Validation of a whole cluster.

import type { DeepReadonly } from "homeostat";
import { cutText } from "@homeostat/core";
import { formatProblem, type Problem } from "@homeostat/schema";
import { ChronikCluster } from "../api/chronik-cluster.ts";
import { apiVersion, kind } from "../api/identity.ts";
import { messageLengthMax } from "../api/status.ts";
import { resolveCluster } from "../build/resolve.ts";
import type { ResolveSettings } from "../settings/settings.ts";
import { clusterRules } from "./cluster-rules.ts";
import { configSizeProblems } from "./config-size.ts";
import { podRules } from "./pod-rules.ts";
import type { Rule } from "./rule.ts";

/** All rules beyond types and sizes, in the order in which problems are reported. */
export const rules: readonly Rule[] = [...clusterRules, ...podRules];

const malformed = new Set<Problem["type"]>(["TypeInvalid", "Required", "Internal"]);
const oversized = new Set<Problem["type"]>(["TooLong", "TooMany"]);

/**
 * Returns all problems of a cluster; empty if its objects can be built.
 *
 * The API server checks the same rules with the CRD. The operator checks them again, because the CRD may be older than the operator.
 */
export function clusterProblems(
  { metadata, spec }: DeepReadonly<ChronikCluster>,
  settings: ResolveSettings,
): readonly Problem[] {
  const { name = "", annotations } = metadata;
  const given = { apiVersion, kind, metadata: { name, ...(annotations && { annotations }) }, spec } as const;
  const shape = ChronikCluster.check(given);
  // The rules rely on the types of the fields, and on their limits: a label map with 24,000 entries would block the event loop.
  if (shape.some(({ type }) => malformed.has(type) || oversized.has(type))) return shape;
  const ruled = ChronikCluster.default(given);
  const broken = rules.flatMap((rule) => [...rule.check(ruled)]);
  const reported = new Set(broken.map(({ path }) => path));
  const problems = [...broken, ...ChronikCluster.check(ruled).filter(({ path }) => !isReported(path, reported))];
  // Only a cluster without problems can be resolved.
  return problems.length > 0 ? problems : [...configSizeProblems(resolveCluster(ruled, settings))];
}

/** Reports whether a rule has reported a problem at a path or below it: the CEL rule of a map reports the map, the rule here its entry. */
function isReported(path: string, reported: ReadonlySet<string>): boolean {
  if (reported.has(path)) return true;
  for (const each of reported) if (each.startsWith(`${path}.`) || each.startsWith(`${path}[`)) return true;
  return false;
}

const problemsMax = 10;

/** Room for the number of problems that are not listed. */
const suffixLengthMax = 24;

/** Returns the first problems in one line, and the number of the others, for status and events. */
export function describeProblems(problems: readonly Problem[]): string {
  const shown: string[] = [];
  let left = messageLengthMax - suffixLengthMax;
  for (const problem of problems.slice(0, problemsMax)) {
    const text = formatProblem(problem);
    left -= text.length + separator.length;
    if (left < 0 && shown.length > 0) break;
    shown.push(left < 0 ? cutText(text, messageLengthMax - suffixLengthMax) : text);
  }
  const rest = problems.length - shown.length;
  return [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join(separator);
}

const separator = "; ";
