import { ArgumentError, type KubeObject, qualifiedNameProblems } from "@homeostat/core";
import type { Controller, ControllerDefinition } from "./definition.ts";
import { writesStatus } from "./access.ts";
import { errorPolicyProblems } from "./error-policy.ts";
import { keepsField, projectOf } from "../kinds/projected.ts";
import type { OwnedKinds, WatchedKinds } from "../kinds/kinds.ts";

/**
 * Defines a controller: the kind of its primary objects, the kinds they own, the kinds it watches, and its reconciler.
 *
 * The definition alone starts nothing; a manager runs it. Informers, RBAC rules and the types of the reconciler's context are derived from
 * the definition. Throws an `ArgumentError` that names every problem of an invalid definition.
 *
 * @example
 * const sites = defineController({
 *   for: Site,
 *   owns: { web: applied(Deployment) },
 *   async reconcile({ object, owned, setCondition }) {
 *     const web = await owned.web.apply(deploymentOf(object));
 *     setCondition("Ready", { status: web.status?.readyReplicas === object.spec.replicas, reason: "Rollout" });
 *   },
 * });
 */
export function defineController<
  T extends KubeObject,
  const O extends OwnedKinds = Record<never, never>, // oxlint-disable-line typescript/no-generated-empty-object-type -- means a record without any keys
  const W extends WatchedKinds = Record<never, never>, // oxlint-disable-line typescript/no-generated-empty-object-type -- means a record without any keys
  const I extends string = never,
>(definition: ControllerDefinition<T, O, W, I>): Controller<T>;
// The implementation drops the kind from the types. That is sound because the informer of the controller only yields objects of its kind.
export function defineController(definition: Controller["definition"]): Controller {
  const name = definition.name ?? definition.for.plural;
  const problems = [...definitionProblems(definition)];
  if (problems.length > 0) {
    throw new ArgumentError({ argument: `defineController(${name})`, problem: problems.join(" ") });
  }
  return { name, fieldManager: definition.fieldManager ?? name, definition };
}

function* definitionProblems(definition: Controller["definition"]): Generator<string> {
  const { finalizer, cleanup, concurrency = 1, timeoutMs = 1, reportingController } = definition;
  if (cleanup !== undefined && finalizer === undefined) {
    yield "has a cleanup but no finalizer, so objects could be deleted before cleanup runs; set finalizer, for example example.com/cleanup.";
  }
  if (finalizer !== undefined && cleanup === undefined) {
    yield 'has a finalizer but no cleanup, so objects could never be deleted; add a cleanup that returns "done".';
  }
  if (finalizer !== undefined && (!finalizer.includes("/") || qualifiedNameProblems(finalizer).length > 0)) {
    yield `has the invalid finalizer ${JSON.stringify(finalizer)}; use domain/name, for example example.com/cleanup.`;
  }
  if (reportingController !== undefined && qualifiedNameProblems(reportingController).length > 0) {
    yield `has the invalid reportingController ${JSON.stringify(reportingController)}; use a name such as example.com/sites.`;
  }
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    yield `has a concurrency of ${concurrency}; it must be an integer of at least 1.`;
  }
  const { resyncMs } = definition;
  const fields = projectOf(definition.for);
  if (fields !== undefined && writesStatus(definition) && !keepsField(fields, "status")) {
    yield `writes the status of ${definition.for.kind} but does not cache it; add "status" to its projected fields.`;
  }
  // Timers of Node.js overflow at 2^31 - 1 ms (24 days) and would then fire at once; the limit leaves room for 10 % jitter.
  if (resyncMs !== undefined && !(resyncMs >= 1000 && resyncMs <= 1_900_000_000)) {
    yield `has a resyncMs of ${resyncMs}; it must be between 1,000 and 1,900,000,000.`;
  }
  yield* errorPolicyProblems(definition.errorPolicy ?? {});
  if (!(timeoutMs > 0)) yield `has a timeoutMs of ${timeoutMs}; it must be greater than 0.`;
}
