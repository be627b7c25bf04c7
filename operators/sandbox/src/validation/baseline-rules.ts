// Rules for an entry that depend on its baseline. Admission checks them if the baseline exists, and each reconcile checks them again.

import type { DeepReadonly } from "@homeostat/core";
import { invalidField } from "@homeostat/schema";
import { type PodSelector, selectsPods } from "../api/pod-selector.ts";
import type { ServiceEntry } from "../api/sandbox.ts";
import { type ObjectProblem, problemOf } from "./problem.ts";

/** The part of a workload of the baseline that rules read. */
export interface BaselineTemplate {
  readonly labels: Readonly<Record<string, string>>;
  /** Names of containers and init containers. */
  readonly containers: readonly string[];
}

/** A Service of the namespace of a workload. */
export interface BaselineService extends PodSelector {
  readonly name: string;
}

/** Returns the problems of an entry with its baseline. Without `services`, the names of Services are not checked. */
export function baselineProblems(
  entry: DeepReadonly<ServiceEntry>,
  path: string,
  {
    template,
    services,
  }: { readonly template: BaselineTemplate; readonly services: readonly BaselineService[] | undefined },
): ObjectProblem[] {
  return [
    ...unknownContainers(entry, path, template),
    ...(services === undefined ? [] : unsuitableServices(entry, path, { template, services })),
  ];
}

function* unknownContainers(
  { targetRef, containers = [] }: DeepReadonly<ServiceEntry>,
  path: string,
  template: BaselineTemplate,
): Iterable<ObjectProblem> {
  for (const [index, { name }] of containers.entries()) {
    if (template.containers.includes(name)) continue;
    const detail = `is not a container of ${targetRef.kind} ${targetRef.name}; its containers are ${template.containers.join(", ")}`;
    yield problemOf("ContainerUnknown", invalidField(`${path}.containers[${index}].name`, name, detail));
  }
}

function* unsuitableServices(
  { targetRef, serviceNames = [] }: DeepReadonly<ServiceEntry>,
  path: string,
  { template, services }: { readonly template: BaselineTemplate; readonly services: readonly BaselineService[] },
): Iterable<ObjectProblem> {
  for (const [index, name] of serviceNames.entries()) {
    const at = `${path}.serviceNames[${index}]`;
    const service = services.find((each) => each.name === name);
    if (service === undefined) {
      yield problemOf(
        "ServiceUnknown",
        invalidField(at, name, "is not a Service of the namespace of the workload; create it or remove the name"),
      );
    } else if (!selectsPods(service, template.labels)) {
      yield problemOf(
        "ServiceSelectsOthers",
        invalidField(at, name, `does not select pods of ${targetRef.kind} ${targetRef.name}; name a Service that does`),
      );
    }
  }
}
