// Checks that a patched object is still a Deployment, so a field of the wrong type is reported before anything is
// written.

import { isRecord, type JsonRecord, once, ownValue } from "@homeostat/core";
import { deploymentSpec } from "@homeostat/kubernetes/apps/v1/schemas";
import type { DeploymentSpec } from "@homeostat/kubernetes/apps/v1";
import { type CompiledSchema, compileSchema, formatProblem } from "@homeostat/schema";
import type { DeepReadonly } from "homeostat";
import type { PodTemplate, TemplateSpec } from "./baseline.ts";
import { textMap } from "./patches.ts";

/** The spec of a Deployment with a pod spec in its template. */
export type ForkSpec = DeepReadonly<DeploymentSpec> & {
  readonly template: PodTemplate & { readonly spec: TemplateSpec };
};

/** The parts of a patched Deployment that belong to the user, or the problems of its fields. */
export type PatchedParts =
  | {
      readonly spec: ForkSpec;
      readonly labels: Readonly<Record<string, string>>;
      readonly annotations: Readonly<Record<string, string>>;
      readonly podLabels: Readonly<Record<string, string>>;
      readonly podAnnotations: Readonly<Record<string, string>>;
    }
  | { readonly wrong: readonly string[] };

// Compiled on first use: only entries with patches need it.
const schema: () => CompiledSchema = once(() =>
  compileSchema({ type: "object", required: ["spec"], properties: { spec: deploymentSpec.schema } }),
);

const shownMax = 10;

/** Reads a patched Deployment. Problems that the Deployment had before the patches are ignored. */
export function readPatched(before: Readonly<JsonRecord>, after: Readonly<JsonRecord>): PatchedParts {
  const spec = ownValue(after, "spec");
  const problems = schema().validate({ spec }, { old: { spec: ownValue(before, "spec") } });
  if (!isForkSpec(spec, problems.length)) {
    const texts = problems.map(formatProblem);
    return { wrong: texts.length === 0 ? ["spec.template.spec: Required value"] : texts.slice(0, shownMax) };
  }
  const metadata = recordIn(after, "metadata");
  const podMetadata = recordIn(recordIn(spec, "template"), "metadata");
  const maps = {
    labels: textMap(ownValue(metadata, "labels")),
    annotations: textMap(ownValue(metadata, "annotations")),
    podLabels: textMap(ownValue(podMetadata, "labels")),
    podAnnotations: textMap(ownValue(podMetadata, "annotations")),
  };
  const wrong = Object.entries(maps).flatMap(([name, { wrong: keys }]) =>
    keys.map((key) => `${name}: the value of ${JSON.stringify(key)} must be text, and the key a valid one`),
  );
  if (wrong.length > 0) return { wrong: wrong.slice(0, shownMax) };
  return {
    spec,
    labels: maps.labels.map,
    annotations: maps.annotations.map,
    podLabels: maps.podLabels.map,
    podAnnotations: maps.podAnnotations.map,
  };
}

/** Reports whether a value is the spec of a Deployment, given how many problems its schema found. */
function isForkSpec(value: unknown, problems: number): value is ForkSpec & JsonRecord {
  if (problems > 0 || !isRecord(value)) return false;
  const pod = ownValue(recordIn(value, "template"), "spec");
  return isRecord(pod) && Array.isArray(pod["containers"]) && pod["containers"].length > 0;
}

function recordIn(record: Readonly<JsonRecord>, key: string): JsonRecord {
  const value = ownValue(record, key);
  return isRecord(value) ? value : {};
}
