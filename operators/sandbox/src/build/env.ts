// Environment variables of the containers of a fork.

import type { DeepReadonly } from "homeostat";
import type { EnvVar } from "@homeostat/kubernetes/core/v1";
import { routeServerName } from "../api/names.ts";
import { systemNamespace } from "../api/identity.ts";
import type { EnvChange } from "../api/sandbox.ts";
import type { Baseline } from "./baseline.ts";
import type { EntryIdentity } from "./metadata.ts";

type Variable = DeepReadonly<EnvVar>;

/** The address of the query port of the route server. */
const routeServerAddress = `http://${routeServerName}.${systemNamespace}.svc:7778`;

/** Returns the environment variables that identify the sandbox to a container of a fork. */
export function sandboxVariables({ sandbox, routingKey }: EntryIdentity, baseline: Baseline): Variable[] {
  return [
    { name: "SANDBOX_NAME", value: sandbox.metadata.name ?? "" },
    { name: "SANDBOX_NAMESPACE", value: sandbox.metadata.namespace ?? "" },
    { name: "SANDBOX_ROUTING_KEY", value: routingKey },
    { name: "SANDBOX_BASELINE_KIND", value: baseline.kind },
    { name: "SANDBOX_BASELINE_NAMESPACE", value: baseline.namespace },
    { name: "SANDBOX_BASELINE_NAME", value: baseline.name },
    { name: "SANDBOX_ROUTE_SERVER", value: routeServerAddress },
  ];
}

/**
 * Returns variables with others before them. A variable that already exists keeps its value. They come first, because a variable can
 * refer to those before it as `$(NAME)`.
 */
export function withVariables(variables: readonly Variable[], added: readonly Variable[]): Variable[] {
  const names = new Set(variables.map(({ name }) => name));
  return [...added.filter(({ name }) => !names.has(name)), ...lastOfEachName(variables)];
}

/**
 * Returns the last variable of each name. Containers see the last of several variables with the same name; server-side apply rejects lists with
 * duplicates.
 */
function lastOfEachName(variables: readonly Variable[]): Variable[] {
  const lastIndex = new Map(variables.map(({ name }, index) => [name, index]));
  return variables.filter(({ name }, index) => lastIndex.get(name) === index);
}

/** Outputs of a provision hook. Their values stay in the Secret. */
export interface ProvisionOutputs {
  /** Secret in the namespace of the fork. */
  readonly secretName: string;
  readonly keys: readonly string[];
}

/** Address of an entry within the cluster. */
export interface EntryAddress {
  readonly host: string;
  readonly port: number;
}

/** Values that variables can refer to. */
export interface EnvSources {
  /** Outputs by name of the provision hook. */
  readonly outputs: ReadonlyMap<string, ProvisionOutputs>;
  /** Addresses by name of the entry. */
  readonly addresses: ReadonlyMap<string, EntryAddress>;
}

/** The variables after the changes, or the problems of the changes by name of the variable. */
export interface ChangedVariables {
  readonly variables: Variable[];
  readonly problems: readonly { readonly name: string; readonly message: string }[];
}

/** Applies changes in order. An existing variable keeps its position, so references from other variables stay valid. */
export function changeVariables(
  variables: readonly Variable[],
  changes: readonly DeepReadonly<EnvChange>[],
  sources: EnvSources,
): ChangedVariables {
  const result = new Map(lastOfEachName(variables).map((variable) => [variable.name, variable]));
  const problems: { name: string; message: string }[] = [];
  for (const change of changes) {
    if (change.operation === "Delete") {
      result.delete(change.name);
      continue;
    }
    const variable = resolve(change, sources);
    if (typeof variable === "string") problems.push({ name: change.name, message: variable });
    else result.set(change.name, variable);
  }
  return { variables: [...result.values()], problems };
}

/** Returns the variable of a change, or the problem of its reference. */
function resolve({ name, value, valueFrom }: DeepReadonly<EnvChange>, sources: EnvSources): Variable | string {
  if (valueFrom === undefined) return { name, value: value ?? "" };
  const { provision, fork, ...source } = valueFrom;
  if (provision !== undefined) {
    const outputs = sources.outputs.get(provision.name);
    if (outputs === undefined)
      return `there is no output of the provision hook ${provision.name}; add it to spec.provision`;
    if (outputs.keys.includes(provision.key)) {
      return { name, valueFrom: { secretKeyRef: { name: outputs.secretName, key: provision.key } } };
    }
    const known = outputs.keys.length === 0 ? "it has none" : `it has ${outputs.keys.join(", ")}`;
    return `the provision hook ${provision.name} has no output ${provision.key}; ${known}`;
  }
  if (fork !== undefined) {
    const address = sources.addresses.get(fork.name);
    if (address === undefined) {
      return `the entry ${fork.name} has no address; name an entry of spec.services whose workload has a Service`;
    }
    return { name, value: fork.expression === "host" ? address.host : `${address.host}:${address.port}` };
  }
  return { name, valueFrom: source };
}
