// Derives the fork of an entry from the workload of the baseline.
//
//   baseline ─▶ Deployment without the baseline's labels, with variables and changed containers   unpatched-fork.ts
//                 │
//                 ▼  patches of the entry, guard, fields of the operator restored                 patched-fork.ts
//                 │
//                 ▼  labels that no Service selects, volumes, ports of the node, limits
//                 │
//               Deployment with hashes, and the Services that route to it                          fork-services.ts

import { forkName } from "../api/names.ts";
import type { CachedSandbox } from "../api/sandbox.ts";
import type { ForkInput } from "./fork-input.ts";
import { buildForkServices, type ForkServices } from "./fork-services.ts";
import { baselineHash, hashOf, templateHash } from "./hashes.ts";
import { withLimits } from "./limits.ts";
import { forkAnnotations, objectLabels, withOwner } from "./metadata.ts";
import { patchFork } from "./patched-fork.ts";
import { avoidServices, type LabelConflict } from "./pod-labels.ts";
import { withForkPorts } from "./ports.ts";
import { entryField, isRefusal, type Refusal } from "./refusal.ts";
import type { ForkBody, ForkedFrom } from "./stored-fork.ts";
import { deriveUnpatched, type ForkDeployment, identityOf } from "./unpatched-fork.ts";
import { shareVolumes } from "./volumes.ts";

/** A derived fork. */
export interface DerivedFork {
  readonly name: string;
  readonly body: ForkBody;
  /** The Deployment without annotations about rebases. `forkAtStep` adds them. */
  readonly deployment: ForkDeployment;
  /** Services for this template. If the fork keeps an older template, build its Services for that template instead. */
  readonly services: ForkServices;
  readonly templateHash: string;
  /** Hash of everything but the baseline that the fork was derived from. */
  readonly inputHash: string;
  readonly forkedFrom: ForkedFrom;
  /** Notes for the message of the entry. */
  readonly notes: readonly string[];
  /** Claims that may prevent pods of the fork from starting. */
  readonly blockingClaims: readonly string[];
}

/** Derives the fork of an entry, or returns why that is not possible. The same input gives the same result. */
export function deriveFork(input: ForkInput): DerivedFork | Refusal {
  const { baseline, sandbox, entry, services } = input;
  const { name: sandboxName = "", uid = "" } = sandbox.metadata;
  const name = forkName({ name: sandboxName, uid }, entry.name, baseline);
  const unpatched = deriveUnpatched(input, name);
  if (isRefusal(unpatched)) return unpatched;
  const patched = patchFork(input, unpatched);
  if (isRefusal(patched)) return patched;
  const safe = avoidServices({ labels: patched.podLabels, fromSandbox: sandbox.spec.labels, services });
  if ("conflicts" in safe) return labelRefusal(entry.name, safe.conflicts);

  const { podAnnotations } = patched;
  const volumes = shareVolumes(patched.spec.template.spec, entry.volumes, input.claims);
  const template = {
    metadata: {
      labels: safe.labels,
      ...(Object.keys(podAnnotations).length > 0 && { annotations: podAnnotations }),
    },
    spec: withLimits(withForkPorts(volumes.spec), input.defaultLimits),
  };
  const identity = identityOf(input);
  const forkServices = buildForkServices({ identity, baseline, entry, services, fork: { name, template } });
  if (isRefusal(forkServices)) return forkServices;

  const body = {
    labels: { ...patched.labels, ...objectLabels(identity) },
    annotations: patched.annotations,
    spec: { ...patched.spec, template },
  };
  const hash = templateHash(template);
  const place = { sandbox, name, namespace: baseline.namespace };
  return {
    name,
    body,
    deployment: buildDeployment(place, body, { [forkAnnotations.templateHash]: hash }),
    services: forkServices,
    templateHash: hash,
    inputHash: inputHash(input),
    forkedFrom: {
      uid: baseline.uid,
      generation: baseline.generation,
      templateHash: baselineHash(baseline, entry, services),
    },
    notes: safe.omitted.length === 0 ? [] : [omittedNote(safe.omitted)],
    blockingClaims: volumes.blockingClaims,
  };
}

/** Owner, name and namespace of a fork. */
export interface ForkPlace {
  readonly sandbox: CachedSandbox;
  readonly name: string;
  readonly namespace: string;
}

/** Builds the Deployment of a fork with annotations of the operator. */
export function buildDeployment(
  { sandbox, name, namespace }: ForkPlace,
  { labels, annotations, spec }: ForkBody,
  own: Readonly<Record<string, string>>,
): ForkDeployment {
  return withOwner<ForkDeployment>(sandbox, {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace, labels, annotations: { ...annotations, ...own } },
    spec,
  });
}

function labelRefusal(entry: string, conflicts: readonly LabelConflict[]): Refusal {
  return {
    reason: "LabelsMatchBaseline",
    problems: conflicts.map(({ service, selector }) => {
      const labels = Object.entries(selector).map(([key, value]) => `${key}=${value}`);
      return {
        path: entryField(entry, "preserveLabels"),
        message: `the Service ${service} would send requests to the fork: its selector ${labels.join(",")} matches labels that preserveLabels or patches give to the pods; remove one of them`,
      };
    }),
  };
}

function omittedNote(keys: readonly string[]): string {
  return `Pods of the fork do not have the labels ${keys.join(", ")} of spec.labels, because a Service of the baseline selects by them.`;
}

/** Returns the hash of everything but the baseline that the template of a fork depends on. */
function inputHash({ sandbox, entry, routingKey, sources, defaultLimits }: ForkInput): string {
  const { name, containers = [], patches = [], preserveLabels, volumes } = entry;
  const references = containers
    .flatMap(({ env = [] }) => env)
    .map(({ valueFrom }) => [
      valueFrom?.fork && sources.addresses.get(valueFrom.fork.name),
      valueFrom?.provision && sources.outputs.get(valueFrom.provision.name)?.secretName,
    ]);
  const { labels } = sandbox.spec;
  return hashOf({ name, containers, patches, preserveLabels, volumes, labels, routingKey, references, defaultLimits });
}
