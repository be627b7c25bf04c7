import { type Operator, operatorManifests } from "@homeostat/operator";
import { isList, isRecord, readPointer } from "@homeostat/core";

/** Returns the environment variables with plain values that the generated Deployment of an operator sets. */
export function deploymentEnv(operator: Operator): Readonly<Record<string, string>> {
  const deployment: unknown = operatorManifests(operator, { image: "bench" }).find(({ kind }) => kind === "Deployment");
  const entries: unknown = readPointer(deployment, "/spec/template/spec/containers/0/env");
  const env: Record<string, string> = {};
  for (const entry of isList(entries) ? entries : []) {
    if (!isRecord(entry)) continue;
    const { name, value } = entry;
    if (typeof name === "string" && typeof value === "string") env[name] = value;
  }
  return env;
}
