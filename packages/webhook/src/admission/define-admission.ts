import {
  ArgumentError,
  applyJsonPatch,
  deepClone,
  type DeepReadonly,
  deepFreeze,
  diffJsonPatch,
  isList,
  type JsonPatchOperation,
  type JsonRecord,
  type KubeObject,
  type ResourceType,
} from "@homeostat/core";
import type { Denial } from "../errors.ts";
import { type Cause, collectFindings, type Findings, type Verdict } from "./findings.ts";
import { type AdmissionContext, type Operation, readAdmissionRequest } from "./request.ts";

/** How objects of one kind are judged. */
export interface ValidatingDefinition<T extends KubeObject> {
  readonly for: ResourceType<T>;
  /** Yields what there is to say about a new object, or about a change of `old` to it. */
  validate?(object: DeepReadonly<T>, old: DeepReadonly<T> | undefined, context: AdmissionContext): Findings;
  /** Yields what there is to say about a deletion. Without it, deletions are not sent here. */
  validateDelete?(old: DeepReadonly<T>, context: AdmissionContext): Findings;
  /** How a request with findings ends; 422 `Invalid` unless said otherwise. */
  readonly denial?: Denial;
  /** Puts what an object is refused for into one text; all of it, with semicolons between, unless given. */
  summary?(causes: readonly Cause[], object: DeepReadonly<T>): string;
  /** The path of the URL; made from the kind unless given. */
  readonly path?: string;
  /** The name in the configuration, of three parts at least as in `vorder.example.com`; made from the path unless given. */
  readonly name?: string;
}

/** How objects of one kind are completed before they are stored. */
export interface MutatingDefinition<T extends KubeObject> {
  readonly for: ResourceType<T>;
  /**
   * The object as it should be, a JSON Patch for it, or nothing to leave it as it is. The argument is a copy that may be
   * changed and returned. An API server may ask twice, so what was done already must not be done again.
   */
  mutate(object: T, old: DeepReadonly<T> | undefined, context: AdmissionContext): Mutated<T> | Promise<Mutated<T>>;
  /** The path of the URL; made from the kind unless given. */
  readonly path?: string;
  /** The name in the configuration, of three parts at least as in `morder.example.com`; made from the path unless given. */
  readonly name?: string;
}

/** What a mutating webhook wants. */
export type Mutated<T> = T | readonly JsonPatchOperation[] | undefined;

/** What an admission webhook answers. */
export interface Admission extends Verdict {
  readonly patch?: readonly JsonPatchOperation[];
}

/** The input of an admission webhook. */
export interface DecideOptions {
  readonly uid: string;
  /** Aborts when the API server no longer waits for the response. */
  readonly signal: AbortSignal;
  /** Waits for a turn of the event loop: called between steps that take long for a large object. Default: does not wait. */
  readonly turn?: (() => Promise<void>) | undefined;
}

/** An admission webhook, ready to be served. */
export interface AdmissionWebhook {
  readonly type: "validating" | "mutating";
  readonly resource: ResourceType;
  readonly path: string;
  /** Its name in the configuration, where it has one of its own. */
  readonly name?: string;
  readonly operations: readonly Operation[];
  /** Decides about one request. Throws a `ReviewError` for one about another kind, and whatever its functions throw. */
  decide(request: JsonRecord, options: DecideOptions): Promise<Admission>;
}

/**
 * Defines a validating webhook: a generator of findings, of which warnings let the request pass.
 *
 * What a schema with CEL rules can say belongs there: it needs no server that can be down.
 *
 * @example
 * validatingWebhook({
 *   for: LoadTest,
 *   *validate(object, old) {
 *     if (old && old.spec.image !== object.spec.image) yield { field: "spec.image", message: "cannot be changed" };
 *     if (object.spec.replicas > 200) yield { field: "spec.replicas", message: "is slow to start", warn: true };
 *   },
 * });
 */
export function validatingWebhook<T extends KubeObject>(definition: ValidatingDefinition<T>): AdmissionWebhook {
  const { for: resource, denial, path = pathOf("validate", resource) } = definition;
  const operations: Operation[] = [
    ...(definition.validate === undefined ? [] : (["CREATE", "UPDATE"] as const)),
    ...(definition.validateDelete === undefined ? [] : (["DELETE"] as const)),
  ];
  if (operations.length === 0) {
    throw new ArgumentError({
      argument: `validatingWebhook for ${resource.kind}`,
      problem: "has neither validate nor validateDelete, so it would never be called; give it one of them.",
    });
  }
  return {
    type: "validating",
    resource,
    path,
    ...(definition.name !== undefined && { name: definition.name }),
    operations,
    async decide(body, options) {
      const { turn = noTurn } = options;
      const { object, old, context } = readAdmissionRequest(body, { ...options, resource });
      const before = old === undefined ? undefined : deepFreeze(old);
      if (before !== undefined) await turn();
      const judged = async (subject: DeepReadonly<T>, findings: Findings = []): Promise<Verdict> =>
        collectFindings(findings, denial, (causes) => definition.summary?.(causes, subject));
      if (object !== undefined) {
        const now = deepFreeze(object);
        await turn();
        return judged(now, definition.validate?.(now, before, context));
      }
      if (before === undefined || context.operation !== "DELETE") return { warnings: [] };
      return judged(before, definition.validateDelete?.(before, context));
    },
  };
}

/** Defines a mutating webhook: a function from an object to the object as it should be. */
export function mutatingWebhook<T extends KubeObject>(definition: MutatingDefinition<T>): AdmissionWebhook {
  const { for: resource, path = pathOf("mutate", resource) } = definition;
  return {
    type: "mutating",
    resource,
    path,
    ...(definition.name !== undefined && { name: definition.name }),
    operations: ["CREATE", "UPDATE"],
    async decide(body, options) {
      const { turn = noTurn } = options;
      const { object, old, context } = readAdmissionRequest(body, { ...options, resource });
      if (object === undefined) return { warnings: [] };
      const before = old === undefined ? undefined : deepFreeze(old);
      if (before !== undefined) await turn();
      const copy = deepClone(object);
      await turn();
      const result = await definition.mutate(copy, before, context);
      if (result === undefined) return { warnings: [] };
      await turn();
      // What the API server would refuse is better found here, where the stack names the function. And what is not
      // JSON, such as undefined, must not look like a difference.
      const patch = isPatch(result) ? result : diffJsonPatch(object, JSON.parse(JSON.stringify(result)));
      await turn();
      applyJsonPatch(object, patch);
      return { warnings: [], patch };
    },
  };
}

const noTurn = async (): Promise<void> => undefined;

function isPatch(value: KubeObject | readonly JsonPatchOperation[]): value is readonly JsonPatchOperation[] {
  return isList(value);
}

/** `/validate-shop-example-com-v1-order`, as operators in Go have it. */
function pathOf(verb: string, { group, version, kind }: ResourceType): string {
  return `/${verb}-${group.replaceAll(".", "-")}-${version}-${kind.toLowerCase()}`;
}
