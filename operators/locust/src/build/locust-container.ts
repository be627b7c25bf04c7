import type { DeepReadonly } from "@homeostat/core";
import type { Container, EnvVar } from "@homeostat/kubernetes/core/v1";
import { ports, type Role } from "../api/identity.ts";
import { nodeName } from "../api/names.ts";
import { masterArguments, workerArguments } from "./command-line.ts";
import { variablesFor, variableSourcesFor } from "./environment.ts";
import { nameOf, type Plan } from "./objects.ts";
import { locustResources } from "./resources.ts";
import { mountsFor } from "./volumes.ts";

/** The container that Locust runs in. It always says its arguments and variables. */
export type LocustContainer = DeepReadonly<Container> & {
  readonly args: readonly string[];
  readonly env: readonly DeepReadonly<EnvVar>[];
};

/** The Locust container of a role. The image's own entry point is used. */
export function locustContainer(plan: Plan, role: Role): LocustContainer {
  const { test } = plan;
  const { spec } = test;
  const args = role === "master" ? masterArguments(test) : workerArguments(test);
  const open = role === "master" ? [ports.master, ports.masterBind, ports.web] : [ports.worker];
  const envFrom = variableSourcesFor(spec);
  const volumeMounts = mountsFor(test, role);
  const resources = locustResources(plan, role);
  const securityContext = spec.security?.containerSecurityContext;
  return {
    name: nodeName(nameOf(test), role),
    image: spec.image,
    imagePullPolicy: spec.imagePullPolicy,
    args,
    ports: open.map((containerPort) => ({ containerPort })),
    env: variablesFor(plan, { role, args }),
    ...(envFrom.length > 0 && { envFrom }),
    ...(resources !== undefined && { resources }),
    ...(volumeMounts.length > 0 && { volumeMounts }),
    ...(securityContext !== undefined && { securityContext }),
  };
}
