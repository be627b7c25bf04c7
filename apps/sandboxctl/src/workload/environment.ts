// The environment of a container of the baseline, as far as a process on this machine can use it.

import type { Baseline } from "@homeostat/sandbox-operator";
import type { BaselineContainer } from "./containers.ts";
import type { SourceContent, Sources } from "./sources.ts";

/** Variables by name, and the omitted ones. */
export interface WorkloadEnvironment {
  readonly variables: ReadonlyMap<string, string>;
  /** Lines about variables that have no value here. They never contain values. */
  readonly omitted: readonly string[];
}

type EnvVar = NonNullable<BaselineContainer["env"]>[number];
type EnvFrom = NonNullable<BaselineContainer["envFrom"]>[number];

/** Resolves the variables of a container as the kubelet does: `envFrom` first, then `env` in order with `$(NAME)` expanded. */
export async function resolveEnvironment(
  baseline: Baseline,
  container: BaselineContainer,
  sources: Sources,
): Promise<WorkloadEnvironment> {
  const variables = new Map<string, string>();
  const omitted: string[] = [];
  for (const source of container.envFrom ?? []) await addAll(source, { variables, omitted, sources });
  for (const variable of container.env ?? []) {
    const value = await valueOf(variable, { variables, omitted, sources, baseline });
    if (value !== undefined) variables.set(variable.name, value);
  }
  return { variables, omitted };
}

interface Resolving {
  readonly variables: Map<string, string>;
  readonly omitted: string[];
  readonly sources: Sources;
}

async function addAll({ configMapRef, secretRef, prefix = "" }: EnvFrom, resolving: Resolving): Promise<void> {
  const reference = configMapRef ?? secretRef;
  const kind = configMapRef === undefined ? "Secret" : "ConfigMap";
  const name = reference?.name ?? "";
  const content = await resolving.sources.read(kind, name);
  if (typeof content === "string") {
    if (content === "missing" && reference?.optional === true) return;
    resolving.omitted.push(`all variables of ${kind} ${name}: ${problemOf(content)}`);
    return;
  }
  for (const [key, value] of content) {
    if (/^[A-Za-z_][-._A-Za-z0-9]*$/.test(prefix + key)) resolving.variables.set(prefix + key, value.toString("utf8"));
  }
}

async function valueOf(
  { name, value, valueFrom }: EnvVar,
  resolving: Resolving & { readonly baseline: Baseline },
): Promise<string | undefined> {
  const { variables, omitted, sources, baseline } = resolving;
  if (valueFrom === undefined) return expanded(value ?? "", variables);
  const { configMapKeyRef, secretKeyRef, fieldRef } = valueFrom;
  if (fieldRef !== undefined) {
    const field = fieldValue(fieldRef.fieldPath, baseline);
    if (field === undefined) omitted.push(`${name}: ${fieldRef.fieldPath} exists only in a pod`);
    return field;
  }
  const reference = configMapKeyRef ?? secretKeyRef;
  if (reference === undefined) {
    omitted.push(`${name}: resources of a container exist only in a pod`);
    return undefined;
  }
  const kind = configMapKeyRef === undefined ? "Secret" : "ConfigMap";
  const { name: object = "", key, optional = false } = reference;
  const content = await sources.read(kind, object);
  if (typeof content === "string") {
    if (!(content === "missing" && optional)) omitted.push(`${name}: ${kind} ${object} ${problemOf(content)}`);
    return undefined;
  }
  const found = content.get(key);
  if (found === undefined && !optional) omitted.push(`${name}: ${kind} ${object} has no key ${key}`);
  return found?.toString("utf8");
}

/** Returns a field of the pod that does not depend on the pod. */
function fieldValue(path: string, { namespace, name, template }: Baseline): string | undefined {
  const { labels = {}, annotations = {} } = template.metadata ?? {};
  if (path === "metadata.namespace") return namespace;
  if (path === "metadata.name") return `${name}-local`;
  if (path === "spec.serviceAccountName") return template.spec.serviceAccountName ?? "default";
  const [, map = "", key = ""] = /^metadata\.(labels|annotations)\['([^']+)'\]$/.exec(path) ?? [];
  if (map === "") return undefined;
  const values = map === "labels" ? labels : annotations;
  return Object.hasOwn(values, key) ? values[key] : "";
}

/** Returns the problem of an object that could not be read. */
export function problemOf(content: Extract<SourceContent, string>): string {
  return content === "forbidden" ? "is not readable with your permissions" : "does not exist";
}

/** Expands `$(NAME)` by the variables before; `$$(NAME)` stands for `$(NAME)`, and references to unknown names are kept. */
function expanded(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$\$|\$\(([^)]*)\)/g, (match, name: string | undefined) => {
    if (match === "$$") return "$";
    return variables.get(name ?? "") ?? match;
  });
}
