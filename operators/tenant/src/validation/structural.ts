import type { DeepReadonly } from "@homeostat/core";
import { nameLengthMax, namePattern, nameProblem } from "../api/names.ts";
import { Tenant } from "../api/tenant.ts";
import type { TenantSettings } from "../settings/settings.ts";
import { accessProblems, podSecurityProblems } from "./access.ts";
import { quotaProblems } from "./amounts.ts";
import { monitoringProblems, networkProblems } from "./network.ts";
import { invalid, type Problem } from "./problem.ts";
import { redisProblems } from "./redis.ts";
import { schemaProblems } from "./schema.ts";
import { serverProblems, strategyProblems } from "./server.ts";
import { labelProblems, namespaceMetadataProblems, wordProblems } from "./texts.ts";

/** The settings that rules depend on. */
export type RuleSettings = Pick<TenantSettings, "operatorNamespace">;

/**
 * Everything that keeps a tenant's objects from being made, all at once; empty when they can be.
 *
 * The webhook refuses such a tenant. The controller asks again before it makes anything, as the webhook may be off.
 */
export function structuralProblems(given: DeepReadonly<Tenant>, settings: RuleSettings): Problem[] {
  const { problems, isMisshapen } = schemaProblems(given);
  // What has another shape than its type says cannot be looked at any closer.
  if (isMisshapen) return [...problems];
  const own = [...ruleProblems(Tenant.default(given), settings)];
  const told = new Set(own.map(({ path }) => path));
  return [...own, ...problems.filter(({ path }) => !told.has(path))];
}

function* ruleProblems(tenant: DeepReadonly<Tenant>, settings: RuleSettings): Iterable<Problem> {
  const { spec } = tenant;
  yield* nameProblems(tenant.metadata.name ?? "");
  yield* wordProblems(spec);
  yield* strategyProblems(spec.upgradeStrategy);
  yield* quotaProblems(spec);
  yield* serverProblems(spec.server);
  yield* redisProblems(spec.redis, settings);
  yield* networkProblems(spec.networkPolicy);
  yield* monitoringProblems(spec.monitoring);
  yield* podSecurityProblems(spec.podSecurity);
  yield* accessProblems(spec.access);
  yield* namespaceMetadataProblems(spec.namespaceMetadata);
  yield* labelProblems("spec.nodeSelector", spec.nodeSelector);
}

function* nameProblems(name: string): Iterable<Problem> {
  if (name.length <= nameLengthMax && new RegExp(namePattern).test(name)) return;
  yield invalid("metadata.name", name, nameProblem);
}
