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

/** Definition of a validating webhook for one kind. */
export interface ValidatingDefinition<T extends KubeObject> {
  readonly for: ResourceType<T>;
  /** Yields findings about a new object, or about a change from `old` to it. */
  validate?(object: DeepReadonly<T>, old: DeepReadonly<T> | undefined, context: AdmissionContext): Findings;
  /** Yields findings about a deletion. Without it, the webhook is not called for deletions. */
  validateDelete?(old: DeepReadonly<T>, context: AdmissionContext): Findings;
  /** HTTP status and reason of a denial. Default: 422 `Invalid`. */
  readonly denial?: Denial;
  /** Returns the message of a denial. Default: all causes, separated by semicolons. */
  summary?(causes: readonly Cause[], object: DeepReadonly<T>): string;
  /** Path of the URL. Default: derived from the kind. */
  readonly path?: string;
  /**
   * Name in the webhook configuration, with at least three parts, such as `vorder.example.com`. Default: derived from
   * the path.
   */
  readonly name?: string;
}

/** Settings for the calls of one webhook that differ from those of the other webhooks of the program. */
export interface WebhookCalls {
  /** Operations for which it is called. Default: CREATE and UPDATE. */
  readonly operations?: readonly ("CREATE" | "UPDATE")[];
  /** Behaviour while it is unreachable, whatever the installation sets for the others. */
  readonly failurePolicy?: "Fail" | "Ignore";
  /** `IfNeeded` calls it again if a later webhook changed the object. Default: `Never`. */
  readonly reinvocationPolicy?: "Never" | "IfNeeded";
  /** CEL expressions about the request, which must all be true. Without them, all objects of the kind are sent. */
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  /** Namespaces whose objects are never sent, besides that of the program and `kube-system`. */
  readonly excludedNamespaces?: readonly string[];
}

/** Context of a mutating webhook function. */
export interface MutatingContext extends AdmissionContext {
  /** Adds a warning for the client that sent the request. */
  warn(this: void, text: string): void;
}

/** Definition of a mutating webhook for one kind. */
export interface MutatingDefinition<T extends KubeObject> {
  readonly for: ResourceType<T>;
  /**
   * Returns the object as it should be, a JSON Patch, or undefined to leave it unchanged. The argument is a copy that
   * may be changed and returned. An API server may call the webhook again after other webhooks, so it must be
   * idempotent.
   */
  mutate(object: T, old: DeepReadonly<T> | undefined, context: MutatingContext): Mutated<T> | Promise<Mutated<T>>;
  readonly calls?: WebhookCalls;
  /** Path of the URL. Default: derived from the kind. */
  readonly path?: string;
  /**
   * Name in the webhook configuration, with at least three parts, such as `morder.example.com`. Default: derived from
   * the path.
   */
  readonly name?: string;
}

/** Result of a mutating webhook function. */
export type Mutated<T> = T | readonly JsonPatchOperation[] | undefined;

/** Decision of an admission webhook. */
export interface Admission extends Verdict {
  readonly patch?: readonly JsonPatchOperation[];
}

/** Options of {@link AdmissionWebhook.decide}. */
export interface DecideOptions {
  readonly uid: string;
  /** Aborts when the API server no longer waits for the response. */
  readonly signal: AbortSignal;
  /**
   * Waits for a turn of the event loop; called between steps that take long for a large object. Default: does not wait.
   */
  readonly turn?: (() => Promise<void>) | undefined;
}

/** An admission webhook that can be served. */
export interface AdmissionWebhook {
  readonly type: "validating" | "mutating";
  readonly resource: ResourceType;
  readonly path: string;
  /** Name in the webhook configuration, if it has one of its own. */
  readonly name?: string;
  readonly operations: readonly Operation[];
  readonly calls?: Omit<WebhookCalls, "operations">;
  /** Handles one request. Throws a `ReviewError` for a request about another kind, and the errors of its functions. */
  decide(request: JsonRecord, options: DecideOptions): Promise<Admission>;
}

/**
 * Defines a validating webhook with a generator of findings. Findings with `warn` become warnings, all others deny the
 * request.
 *
 * Prefer CEL rules in the schema where they suffice: they need no server, which can be unavailable.
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
      const { turn = noWait } = options;
      const { object, old, context } = readAdmissionRequest(body, { ...options, resource });
      const before = old === undefined ? undefined : deepFreeze(old);
      if (before !== undefined) await turn();
      const collect = async (subject: DeepReadonly<T>, findings: Findings = []): Promise<Verdict> =>
        collectFindings(findings, denial, (causes) => definition.summary?.(causes, subject));
      if (object !== undefined) {
        const now = deepFreeze(object);
        await turn();
        return collect(now, definition.validate?.(now, before, context));
      }
      if (before === undefined || context.operation !== "DELETE") return { warnings: [] };
      return collect(before, definition.validateDelete?.(before, context));
    },
  };
}

/** Defines a mutating webhook with a function that returns the object as it should be. */
export function mutatingWebhook<T extends KubeObject>(definition: MutatingDefinition<T>): AdmissionWebhook {
  const { for: resource, path = pathOf("mutate", resource) } = definition;
  const { operations = ["CREATE", "UPDATE"], ...calls } = definition.calls ?? {};
  return {
    type: "mutating",
    resource,
    path,
    ...(definition.name !== undefined && { name: definition.name }),
    operations,
    ...(definition.calls !== undefined && { calls }),
    async decide(body, options) {
      const { turn = noWait } = options;
      const { object, old, context } = readAdmissionRequest(body, { ...options, resource });
      if (object === undefined) return { warnings: [] };
      const warnings: string[] = [];
      const before = old === undefined ? undefined : deepFreeze(old);
      if (before !== undefined) await turn();
      const copy = deepClone(object);
      await turn();
      const result = await definition.mutate(copy, before, { ...context, warn: (text) => void warnings.push(text) });
      if (result === undefined) return { warnings };
      await turn();
      // Apply the patch here, so that a patch that the API server would reject fails with a stack trace of this
      // function. The JSON round trip removes what JSON does not have, such as undefined, which would look like a
      // difference.
      const patch = isPatch(result) ? result : diffJsonPatch(object, JSON.parse(JSON.stringify(result)));
      await turn();
      applyJsonPatch(object, patch);
      return { warnings, patch };
    },
  };
}

const noWait = async (): Promise<void> => undefined;

function isPatch(value: KubeObject | readonly JsonPatchOperation[]): value is readonly JsonPatchOperation[] {
  return isList(value);
}

/** Returns the default path, the same as in controller-runtime: `/validate-shop-example-com-v1-order`. */
function pathOf(verb: string, { group, version, kind }: ResourceType): string {
  return `/${verb}-${group.replaceAll(".", "-")}-${version}-${kind.toLowerCase()}`;
}
