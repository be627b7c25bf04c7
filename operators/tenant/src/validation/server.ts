// Rules for `spec.server` and `spec.upgradeStrategy`.

import type { DeepReadonly } from "homeostat";
import { dnsSubdomainProblems } from "@homeostat/core";
import { invalidField, type Problem, requiredField } from "@homeostat/schema";
import type { EnvEntry, ServerSpec, TenantSpec } from "../api/tenant.ts";
import { resourceProblems } from "./amounts.ts";
import { imageProblems, isPrintable, labelProblems, objectNameProblems } from "./texts.ts";

/** Environment variables that users cannot set. */
export const reservedVariables: readonly string[] = [
  "PORT",
  "TENANT_ID",
  "STORAGE_TYPE",
  "REDIS_HOST",
  "REDIS_PORT",
  "REDIS_DB",
  "REDIS_PASSWORD",
  "REDIS_URL",
];

export function* serverProblems(server: DeepReadonly<ServerSpec>): Iterable<Problem> {
  if (!(server.replicas >= 1)) {
    yield invalidField("spec.server.replicas", server.replicas, "server replicas must be at least 1");
  }
  yield* imageProblems("spec.server.image", server.image);
  yield* objectNameProblems("spec.server.imagePullSecrets", server.imagePullSecrets);
  yield* resourceProblems("spec.server.resources", server.resources);
  for (const [index, entry] of (server.env ?? []).entries())
    yield* variableProblems(`spec.server.env[${index}]`, entry);
  yield* probeProblems(server.probes);
  yield* labelProblems("spec.server.nodeSelector", server.nodeSelector);
}

function* variableProblems(path: string, { name, value, valueFrom }: DeepReadonly<EnvEntry>): Iterable<Problem> {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    yield invalidField(
      `${path}.name`,
      name,
      "must be letters, digits and underscores, and must not start with a digit",
    );
  } else if (reservedVariables.includes(name)) {
    yield invalidField(`${path}.name`, name, `the variable ${name} is set by the operator`);
  }
  if ((value === undefined) === (valueFrom === undefined)) {
    yield invalidField(path, name, `the variable ${short(name)} must have one of value and valueFrom`);
  }
  if (valueFrom === undefined) return;
  const { configMapKeyRef, secretKeyRef } = valueFrom;
  if ((configMapKeyRef === undefined) === (secretKeyRef === undefined)) {
    const detail = `the variable ${short(name)} must come from one of configMapKeyRef and secretKeyRef`;
    yield invalidField(`${path}.valueFrom`, name, detail);
  }
  for (const [field, reference] of Object.entries({ configMapKeyRef, secretKeyRef })) {
    if (reference !== undefined) yield* referenceProblems(`${path}.valueFrom.${field}`, reference);
  }
}

/** Checks the name and key of a ConfigMap or Secret reference. */
export function* referenceProblems(
  path: string,
  { name, key }: { readonly name: string; readonly key?: string | undefined },
): Iterable<Problem> {
  if (name === "") yield requiredField(`${path}.name`, "name the object");
  else if (dnsSubdomainProblems(name).length > 0)
    yield invalidField(`${path}.name`, name, "must be the name of an object");
  if (key !== undefined && !/^[-._a-zA-Z0-9]{1,253}$/.test(key)) {
    yield invalidField(`${path}.key`, key, "must be letters, digits, dashes, dots and underscores");
  }
}

function* probeProblems(probes: DeepReadonly<ServerSpec["probes"]>): Iterable<Problem> {
  for (const which of ["liveness", "readiness", "startup"] as const) {
    const { path = "/", successThreshold = 1 } = probes?.[which] ?? {};
    const field = `spec.server.probes.${which}`;
    if (!isPrintable(path) || /\s/.test(path)) yield invalidField(`${field}.path`, path, "must not have spaces");
    if (which !== "readiness" && successThreshold !== 1) {
      yield invalidField(`${field}.successThreshold`, successThreshold, `must be 1 for ${which}`);
    }
  }
}

function short(name: string): string {
  return /^\w{1,64}$/.test(name) ? name : "named here";
}

export function* strategyProblems(strategy: DeepReadonly<TenantSpec["upgradeStrategy"]>): Iterable<Problem> {
  if (strategy === undefined) return;
  const path = "spec.upgradeStrategy";
  const { type = "RollingUpdate", maxUnavailable = "25%", maxSurge = "25%" } = strategy;
  for (const [field, value] of Object.entries({ maxUnavailable, maxSurge })) {
    if (!isCountOrPercent(value))
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
