// The page of a Sandbox: forms of its key, and the differences of its forks from their baselines.

import { ForbiddenError, type ResourceType, type Stored } from "@homeostat/core";
import { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import type { RoutingSettings } from "@homeostat/routing";
import {
  type Baseline,
  diffObjects,
  readBaseline,
  Rollout,
  type Sandbox,
  workloadRefOf,
} from "@homeostat/sandbox-operator";
import type { EntryDiff, KeyForm } from "../api/sandbox-types.ts";
import type { ViewContext } from "../views/view.ts";

/** Returns the forms in which requests carry a key. */
export function keyForms(key: string, { explicitHeaders, keyNames, tracestate }: RoutingSettings): KeyForm[] {
  const [name = "routing-key"] = keyNames;
  return [
    ...explicitHeaders.map((header) => ({ label: `Header ${header}`, text: `${header}: ${key}` })),
    { label: "W3C baggage", text: `baggage: ${name}=${key}` },
    ...(tracestate.read ? [{ label: "W3C trace context", text: `tracestate: ${name}=${key}` }] : []),
  ];
}

/** Returns a command that sends a request with the key of a sandbox from a pod of the cluster; undefined if the sandbox has no Service yet. */
export function curlLine(
  { metadata, spec, status }: Stored<Sandbox>,
  { explicitHeaders }: RoutingSettings,
): string | undefined {
  const { routingKey, services: entries = [] } = status;
  const entry = entries.find(({ services = [] }) => services.length > 0);
  const service = entry?.services?.[0];
  const [header] = explicitHeaders;
  if (routingKey === undefined || service === undefined || header === undefined) return undefined;
  const target = spec.services.find(({ name }) => name === entry?.name)?.targetRef.namespace;
  const port = service.ports?.[0]?.port ?? 80;
  return `curl -H "${header}: ${routingKey}" http://${service.baseline}.${target ?? metadata.namespace ?? "default"}.svc:${port}/`;
}

type Entry = Sandbox["spec"]["services"][number];
type TargetRef = Entry["targetRef"];

const workloadTypes: Readonly<Record<TargetRef["kind"], ResourceType>> = { Deployment, StatefulSet, Rollout };
const linesMax = 200;

/** Compares the forks of a sandbox with their baselines, as far as the user may read both. */
export function entryDiffs(
  { metadata: { namespace: home = "default" }, spec, status }: Stored<Sandbox>,
  context: ViewContext,
  signal: AbortSignal,
): Promise<EntryDiff[]> {
  const forks = spec.services.flatMap((entry) => {
    const forkName = status.services?.find(({ name }) => name === entry.name)?.forkName;
    return forkName === undefined ? [] : [{ entry, forkName }];
  });
  return Promise.all(
    forks.map(async ({ entry: { name, targetRef }, forkName }): Promise<EntryDiff> => {
      const namespace = targetRef.namespace ?? home;
      const none = (problem: string): EntryDiff => ({ entry: name, changes: [], omitted: 0, problem });
      try {
        const baseline = await readTemplate(context, { ...targetRef, namespace }, signal);
        if (baseline === undefined) return none(`${targetRef.kind} ${namespace}/${targetRef.name} does not exist.`);
        const fork = await readTemplate(context, { kind: "Deployment", namespace, name: forkName }, signal);
        if (fork === undefined) return none(`Deployment ${namespace}/${forkName} does not exist.`);
        const { lines, omitted } = diffObjects(baseline.template, fork.template, { linesMax });
        return { entry: name, changes: lines, omitted };
      } catch (error) {
        if (error instanceof ForbiddenError) return none(`You are not allowed to read the workloads of ${namespace}.`);
        throw error;
      }
    }),
  );
}

async function readTemplate(
  { client }: ViewContext,
  { kind, namespace, name }: Pick<TargetRef, "kind" | "name"> & { readonly namespace: string },
  signal: AbortSignal,
): Promise<Baseline | undefined> {
  const object = await client.get(workloadTypes[kind], { namespace, name }, { signal });
  if (object === undefined) return undefined;
  const reference = kind === "Rollout" ? workloadRefOf(object) : undefined;
  const referenced =
    reference?.kind === "Deployment"
      ? await client.get(Deployment, { namespace, name: reference.name }, { signal })
      : undefined;
  return readBaseline({ kind, object, referenced });
}
