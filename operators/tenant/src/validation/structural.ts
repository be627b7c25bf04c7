// Structural rules: without them the desired objects cannot be built. Admission and the controller check them.

import type { DeepReadonly } from "homeostat";
import { invalidField, labelProblems, type Problem, updateStrategyProblems } from "@homeostat/schema";
import { apiVersion, kind } from "../api/identity.ts";
import { nameLengthMax, namePattern, nameProblem } from "../api/names.ts";
import { Tenant } from "../api/tenant.ts";
import type { RuleSettings } from "../settings/settings.ts";
import { accessProblems } from "./access.ts";
import { monitoringProblems, networkProblems } from "./network.ts";
import { podSecurityProblems } from "./pod-security.ts";
import { quotaProblems } from "./quota.ts";
import { redisProblems } from "./redis.ts";
import { serverProblems } from "./server.ts";
import { namespaceMetadataProblems, textProblems } from "./texts.ts";

/** Returns every problem that keeps the objects of a tenant from being built. */
export function structuralProblems(given: DeepReadonly<Tenant>, settings: RuleSettings): Problem[] {
  const { problems, isMalformed, isOversized } = schemaProblems(given);
  // The rules rely on the types of the fields, and on their limits: a label map with 24,000 entries would block the event loop.
  if (isMalformed || isOversized) return [...problems];
  const found = [...ruleProblems(withDefaults(given), settings)];
  const reported = new Set(found.map(({ path }) => path));
  return [...found, ...problems.filter(({ path }) => !reported.has(path))];
}

function* ruleProblems(tenant: DeepReadonly<Tenant>, settings: RuleSettings): Iterable<Problem> {
  const { spec } = tenant;
  yield* nameProblems(tenant.metadata.name ?? "");
  yield* textProblems(spec);
  yield* updateStrategyProblems("spec.upgradeStrategy", spec.upgradeStrategy);
  yield* quotaProblems(spec);
  yield* serverProblems(spec.server);
  yield* redisProblems(spec.redis, settings);
  yield* networkProblems(spec.networkPolicy);
  yield* monitoringProblems(spec.monitoring);
  yield* podSecurityProblems(spec.podSecurity, settings);
  yield* accessProblems(spec.access, settings);
  yield* namespaceMetadataProblems(spec.namespaceMetadata, settings);
  yield* labelProblems("spec.nodeSelector", spec.nodeSelector);
}

function* nameProblems(name: string): Iterable<Problem> {
  if (name.length <= nameLengthMax && new RegExp(namePattern).test(name)) return;
  yield invalidField("metadata.name", name, nameProblem);
}

const completed = new WeakMap<object, DeepReadonly<Tenant>>();

/**
 * Returns a tenant with the defaults of the schema, without metadata except for its name. Rules read nothing else, and to complete
 * thousands of annotations takes long. Cached, because most rules need it.
 */
export function withDefaults(tenant: DeepReadonly<Tenant>): DeepReadonly<Tenant> {
  const known = completed.get(tenant);
  if (known !== undefined) return known;
  const { name } = tenant.metadata;
  const result = Tenant.default({ ...tenant, metadata: name === undefined ? {} : { name } });
  completed.set(tenant, result);
  return result;
}

interface SchemaVerdict {
  readonly problems: readonly Problem[];
  /** True if a field has the wrong type or a required field is missing. */
  readonly isMalformed: boolean;
  /** True if a text, list or map exceeds its limit. */
  readonly isOversized: boolean;
}

const malformed = new Set<Problem["type"]>(["TypeInvalid", "Required", "Internal"]);
const oversized = new Set<Problem["type"]>(["TooLong", "TooMany"]);

// Every reconcile checks the tenant; the cache returns the same object until it changes.
const verdicts = new WeakMap<object, SchemaVerdict>();

/** Checks a tenant against the schema. A tenant that was stored under an older schema may violate the current one. */
export function schemaProblems(tenant: DeepReadonly<Tenant>): SchemaVerdict {
  const known = verdicts.get(tenant);
  if (known !== undefined) return known;
  const { metadata, spec } = tenant;
  const problems = Tenant.check({ apiVersion, kind, metadata: { name: metadata.name }, spec });
  const verdict = {
    problems,
    isMalformed: problems.some(({ type }) => malformed.has(type)),
    isOversized: problems.some(({ type }) => oversized.has(type)),
  };
  verdicts.set(tenant, verdict);
  return verdict;
}
