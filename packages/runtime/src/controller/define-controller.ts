import { ArgumentError, type KubeObject, qualifiedNameProblems } from "@homeostat/core";
import type { Controller, ControllerDefinition } from "./definition.ts";
import { writesStatus } from "./access.ts";
import { errorPolicyProblems } from "./error-policy.ts";
import { keepsField, projectOf } from "./projected.ts";
import type { OwnedKinds, WatchedKinds } from "./kinds.ts";

/**
 * Defines a controller: the kind it is for, what its objects own, what else it follows, and what it does.
 *
 * Nothing happens until a manager runs it. What it may read, what it may write, and which rights it needs all follow from
 * the definition.
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
  const O extends OwnedKinds = Record<never, never>, // oxlint-disable-line typescript/no-generated-empty-object-type -- no names at all is what is meant
  const W extends WatchedKinds = Record<never, never>, // oxlint-disable-line typescript/no-generated-empty-object-type -- no names at all is what is meant
  const I extends string = never,
>(definition: ControllerDefinition<T, O, W, I>): Controller;
/** What is right for the kind of the definition is right for what a manager hands it, which is of that kind. */
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
    yield "has a cleanup but no finalizer, so that objects may be gone before it runs; give it one, such as example.com/cleanup.";
  }
  if (finalizer !== undefined && cleanup === undefined) {
    yield 'has a finalizer but no cleanup, so that objects could never go; give it one that returns "done".';
  }
  if (finalizer !== undefined && (!finalizer.includes("/") || qualifiedNameProblems(finalizer).length > 0)) {
    yield `has the finalizer ${JSON.stringify(finalizer)}; write a domain, a slash and a name: example.com/cleanup.`;
  }
  if (reportingController !== undefined && qualifiedNameProblems(reportingController).length > 0) {
    yield `has the reportingController ${JSON.stringify(reportingController)}; write a name such as example.com/sites.`;
  }
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    yield `has a concurrency of ${concurrency}; it must be a whole number from 1.`;
  }
  const { resyncMs } = definition;
  const fields = projectOf(definition.for);
  if (fields !== undefined && writesStatus(definition) && !keepsField(fields, "status")) {
    yield `writes the status of ${definition.for.kind} and does not keep it; add "status" to its projected fields.`;
  }
  // Timers of Node.js end at 2^31 - 1 ms, which is 24 days.
  if (resyncMs !== undefined && !(resyncMs >= 1000 && resyncMs <= 1_900_000_000)) {
    yield `has a resyncMs of ${resyncMs}; it must be from 1,000 to 1,900,000,000.`;
  }
  yield* errorPolicyProblems(definition.errorPolicy ?? {});
  if (!(timeoutMs > 0)) yield `has a timeoutMs of ${timeoutMs}; it must be more than 0.`;
}
