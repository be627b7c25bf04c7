// Validation rules for fields of a spec from which pods are built. Without them the API server would accept the primary object
// and later reject its pods or Deployment.

import { type DeepReadonly, dnsSubdomainProblems } from "@homeostat/core";
import { invalidField, requiredField } from "./field-problems.ts";
import { isPrintable } from "./field-rules.ts";
import type { Problem } from "./problem.ts";

/** A reference to a key of a ConfigMap or Secret, or to the whole object where `key` is absent. */
export interface KeyReference {
  readonly name: string;
  readonly key?: string | undefined;
}

/** Checks the name and key of a ConfigMap or Secret reference. */
export function* keyReferenceProblems(path: string, { name, key }: KeyReference): Iterable<Problem> {
  if (name === "") yield requiredField(`${path}.name`, "set the name of the object");
  else if (dnsSubdomainProblems(name).length > 0) {
    yield invalidField(`${path}.name`, name, "must be a valid object name");
  }
  if (key !== undefined && !/^[-._a-zA-Z0-9]{1,253}$/.test(key)) {
    yield invalidField(`${path}.key`, key, "must consist of letters, digits, dashes, dots and underscores");
  }
}

/** An environment variable of a container: a literal value, or a reference to a ConfigMap or Secret. */
export interface EnvEntry {
  readonly name: string;
  readonly value?: string | undefined;
  readonly valueFrom?:
    | { readonly configMapKeyRef?: KeyReference | undefined; readonly secretKeyRef?: KeyReference | undefined }
    | undefined;
}

/** Checks a list of environment variables. Rejects the names in `reserved`, which the operator sets. */
export function* envProblems(
  path: string,
  entries: readonly DeepReadonly<EnvEntry>[] = [],
  { reserved = [] }: { readonly reserved?: readonly string[] } = {},
): Iterable<Problem> {
  for (const [index, entry] of entries.entries()) yield* entryProblems(`${path}[${index}]`, entry, reserved);
}

function* entryProblems(
  path: string,
  { name, value, valueFrom }: DeepReadonly<EnvEntry>,
  reserved: readonly string[],
): Iterable<Problem> {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    yield invalidField(
      `${path}.name`,
      name,
      "must consist of letters, digits and underscores, and must not start with a digit",
    );
  } else if (reserved.includes(name)) {
    yield invalidField(`${path}.name`, name, `the variable ${name} is set by the operator`);
  }
  // An invalid name may have any length, so the message does not repeat it.
  const variable = /^\w{1,64}$/.test(name) ? `the variable ${name}` : "the variable";
  if ((value === undefined) === (valueFrom === undefined)) {
    yield invalidField(path, name, `${variable} must have exactly one of value and valueFrom`);
  }
  if (valueFrom === undefined) return;
  const { configMapKeyRef, secretKeyRef } = valueFrom;
  if ((configMapKeyRef === undefined) === (secretKeyRef === undefined)) {
    const detail = `${variable} must have exactly one of configMapKeyRef and secretKeyRef`;
    yield invalidField(`${path}.valueFrom`, name, detail);
  }
  for (const [field, reference] of Object.entries({ configMapKeyRef, secretKeyRef })) {
    if (reference !== undefined) yield* keyReferenceProblems(`${path}.valueFrom.${field}`, reference);
  }
}

/** Checks the path of an HTTP probe or of a metrics endpoint. */
export function* httpPathProblems(path: string, value: string | undefined): Iterable<Problem> {
  if (value !== undefined && (!isPrintable(value) || /\s/.test(value))) {
    yield invalidField(path, value, "must not contain spaces or control characters");
  }
}

/** Update strategy of a workload: the fields of a DeploymentStrategy, flattened. */
export interface UpdateStrategy {
  readonly type?: string | undefined;
  readonly maxUnavailable?: string | number | undefined;
  readonly maxSurge?: string | number | undefined;
}

/** Checks an update strategy. A rolling update makes no progress if maxUnavailable and maxSurge are both zero. */
export function* updateStrategyProblems(path: string, strategy: UpdateStrategy | undefined): Iterable<Problem> {
  if (strategy === undefined) return;
  const { type = "RollingUpdate", maxUnavailable = "25%", maxSurge = "25%" } = strategy;
  for (const [field, value] of Object.entries({ maxUnavailable, maxSurge })) {
    if (isCountOrPercent(value)) continue;
    yield invalidField(`${path}.${field}`, value, "must be a non-negative integer or a percentage up to 100%");
  }
  const isZero = (value: string | number): boolean => /^0+%?$/.test(String(value));
  if (type === "RollingUpdate" && isZero(maxUnavailable) && isZero(maxSurge)) {
    yield invalidField(`${path}.maxUnavailable`, maxUnavailable, "maxUnavailable and maxSurge must not both be zero");
  }
}

function isCountOrPercent(value: string | number): boolean {
  if (typeof value === "number") return Number.isInteger(value) && value >= 0;
  return /^(?:100|\d{1,2})%$/.test(value);
}
