import { isRecord, type JsonRecord, ownValue, safeSet } from "@homeostat/core";
import { formatProblems } from "@homeostat/schema";
import { Tenant, type TenantInput } from "../api/tenant.ts";
import { defaultSettings } from "./default-settings.ts";
import { validateTenant } from "../validation/validate.ts";

/** Returns a tenant with these fields by path: `{ "server.replicas": 3 }`. */
export function tenant(fields: Readonly<Record<string, unknown>> = {}, metadata: JsonRecord = {}): Tenant {
  const spec: JsonRecord = {};
  for (const [path, value] of Object.entries(fields)) put(spec, path.split("."), value);
  const object = { apiVersion: "neurallog.io/v1", kind: "Tenant", metadata: { name: "acme", ...metadata }, spec };
  return Tenant.default(object as TenantInput);
}

function put(record: JsonRecord, [first = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    safeSet(record, first, value);
    return;
  }
  const inner = ownValue(record, first);
  const next = isRecord(inner) ? inner : {};
  safeSet(record, first, next);
  put(next, rest, value);
}

/** Returns problems and warnings of admission for a tenant or an update. */
export function verdict(
  now: Tenant,
  old?: Tenant,
): { readonly refused: string; readonly warnings: readonly string[]; readonly paths: readonly string[] } {
  const { problems, warnings } = validateTenant(now, { old, settings: defaultSettings });
  return {
    refused: formatProblems(problems),
    paths: problems.map(({ path }) => path),
    warnings: warnings.map(({ path, message }) => `${path}: ${message}`),
  };
}
