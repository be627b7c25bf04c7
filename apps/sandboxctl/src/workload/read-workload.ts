// Workloads of the baseline: by the reference of an entry, or by a Service that selects their pods.

import { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { Service } from "@homeostat/kubernetes/core/v1";
import type { ResourceType } from "@homeostat/core";
import {
  type Baseline,
  labels,
  readBaseline,
  Rollout,
  type Sandbox,
  selectsPods,
  viewService,
  workloadRefOf,
} from "@homeostat/sandbox-operator";
import type { Cluster } from "../command/context.ts";
import { CommandError, exitCodes } from "../command/errors.ts";
import { readObject } from "../objects/read-object.ts";

type TargetRef = Sandbox["spec"]["services"][number]["targetRef"];

const types: Readonly<Record<TargetRef["kind"], ResourceType>> = { Deployment, StatefulSet, Rollout };

/** Reads the workload of a reference. Throws with the exit code 5 if it does not exist. */
export async function readWorkload(
  { client, namespace: home }: Cluster,
  { kind, name, namespace = home }: TargetRef,
  signal: AbortSignal,
): Promise<Baseline> {
  const next = `kubectl get ${kind.toLowerCase()}s -n ${namespace}`;
  const object = await readObject(types[kind], { client, namespace, name, signal, next });
  const reference = kind === "Rollout" ? workloadRefOf(object) : undefined;
  const referenced =
    reference?.kind === "Deployment"
      ? await client.get(Deployment, { namespace, name: reference.name }, { signal })
      : undefined;
  const baseline = readBaseline({ kind, object, referenced });
  if (baseline !== undefined) return baseline;
  throw new CommandError(
    `${kind} ${namespace}/${name} has no pod template. See ${next} ${name} -o yaml`,
    exitCodes.error,
  );
}

/** Reads the workload that a Service selects. Throws with the exit code 5 if there is none. */
export async function readWorkloadOfService(
  { client, namespace }: Cluster,
  name: string,
  signal: AbortSignal,
): Promise<Baseline> {
  const next = `kubectl get services -n ${namespace}`;
  // The view has the selector of the baseline, even while the Service is taken over.
  const { selector } = viewService(await readObject(Service, { client, namespace, name, signal, next }));
  for (const kind of ["Deployment", "StatefulSet"] as const) {
    const { items } = await client.list(types[kind], { namespace, signal });
    for (const object of items) {
      const baseline = readBaseline({ kind, object });
      const isFork = Object.hasOwn(object.metadata.labels ?? {}, labels.sandbox);
      if (baseline !== undefined && !isFork && selectsPods({ selector }, baseline.template.metadata?.labels ?? {}))
        return baseline;
    }
  }
  throw new CommandError(
    `Service ${namespace}/${name} selects no Deployment or StatefulSet. See kubectl describe service ${name} -n ${namespace}`,
    exitCodes.notFound,
  );
}

/** Reads the workload of an entry of a sandbox, or of a Service if the sandbox has no such entry. */
export async function readWorkloadOfEntry(
  cluster: Cluster,
  { sandbox, entry }: { readonly sandbox: Sandbox; readonly entry: string },
  signal: AbortSignal,
): Promise<Baseline> {
  const found = sandbox.spec.services.find(({ name }) => name === entry);
  if (found !== undefined) return readWorkload(cluster, found.targetRef, signal);
  return readWorkloadOfService(cluster, entry, signal);
}
