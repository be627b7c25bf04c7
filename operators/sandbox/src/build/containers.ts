// Applies the container changes of an entry to the pod spec of its fork.

import type { DeepReadonly } from "homeostat";
import { withoutUndefined } from "@homeostat/core";
import type { EnvVar } from "@homeostat/kubernetes/core/v1";
import type { ContainerChange } from "../api/sandbox.ts";
import type { TemplateContainer, TemplateSpec } from "./baseline.ts";
import { changeVariables, type EnvSources, withVariables } from "./env.ts";

/** A pod spec with changed containers, and the problems of the changes. */
export interface ChangedContainers {
  readonly spec: TemplateSpec;
  /** Problems by field below `containers`: `[app].env[URL]`. */
  readonly problems: readonly { readonly field: string; readonly message: string }[];
}

/** Changes of the containers of a fork. */
export interface ContainerChanges {
  /** Variables to add to every container. */
  readonly variables: readonly DeepReadonly<EnvVar>[];
  readonly changes: readonly DeepReadonly<ContainerChange>[];
  readonly sources: EnvSources;
}

/** Returns a pod spec whose containers and init containers have the variables and changes of an entry. */
export function changeContainers(
  spec: TemplateSpec,
  { variables, changes, sources }: ContainerChanges,
): ChangedContainers {
  const known = [...spec.containers, ...(spec.initContainers ?? [])].map(({ name }) => name);
  const problems = changes
    .filter(({ name }) => !known.includes(name))
    .map(({ name }) => ({
      field: `[${name}].name`,
      message: `the baseline has no container ${name}; it has ${known.join(", ")}`,
    }));
  const change = (container: TemplateContainer): TemplateContainer => {
    const own = changes.find(({ name }) => name === container.name);
    const changed = changeVariables(withVariables(container.env ?? [], variables), own?.env ?? [], sources);
    for (const { name, message } of changed.problems) {
      problems.push({ field: `[${container.name}].env[${name}]`, message });
    }
    const { image, imagePullPolicy, command, args, resources } = own ?? {};
    return {
      ...container,
      ...withoutUndefined({ image, imagePullPolicy, command, args, resources }),
      env: changed.variables,
    };
  };
  const { initContainers } = spec;
  return {
    spec: {
      ...spec,
      containers: spec.containers.map(change),
      ...(initContainers !== undefined && { initContainers: initContainers.map(change) }),
    },
    problems,
  };
}
