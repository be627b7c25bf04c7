import { quote } from "@homeostat/cel";
import { isEqual, isRecord, type JsonRecord } from "@homeostat/core";
import { applyServerJsonPatch } from "../../patch/json-patch.ts";
import { ServerPatchError } from "../../patch/patch-failure.ts";
import type { ServedKind } from "../../resources/served-kind.ts";
import { internalErrorStatus } from "../../status/refusals.ts";
import { StatusError } from "../../status/status.ts";
import type { AdmissionRequest, AdmissionStep, MutationRound } from "../admission.ts";
import {
  callFailure,
  convertObject,
  isExempt,
  objectsInVersion,
  WebhookCaller,
  type WebhookOptions,
} from "./dispatch.ts";
import { type Hook, Hooks } from "./hook.ts";
import { limitProblem } from "./response-limits.ts";
import { deniedStatus, type ReviewResponse } from "./review.ts";
import { WebhookCallError } from "./webhook-errors.ts";

/** Decodes an object that a webhook changed and sets its defaults. */
export type Complete = (object: JsonRecord, kind: ServedKind, subresource: string) => JsonRecord;

/** Options of {@link mutatingWebhooks}. */
export interface MutatingWebhookOptions extends WebhookOptions {
  readonly complete: Complete;
}

const memoryKey = "MutatingAdmissionWebhook";

/**
 * State of the first pass that the second pass (reinvocation) needs.
 *
 * A webhook with `reinvocationPolicy: IfNeeded` is called again if the object changed after its call: by a later
 * webhook, or by another step between the two passes, which is noticed by comparing `output`. A webhook is called at
 * most twice.
 */
interface Memory {
  /** The object after the webhooks of the first pass. */
  output: JsonRecord | undefined;
  /** IDs of reinvocable webhooks called since the object last changed. */
  readonly called: Set<string>;
  /** IDs of reinvocable webhooks that were called before the object last changed, so must be called again. */
  readonly stale: Set<string>;
}

/** Returns the step that calls mutating webhooks one after the other and applies their patches. */
export function mutatingWebhooks(options: MutatingWebhookOptions): AdmissionStep {
  const hooks = new Hooks(options.reader, "mutating");
  const caller = new WebhookCaller(options);
  return {
    name: "MutatingAdmissionWebhook",
    mutate: (request, round) => {
      const all = hooks.all();
      if (all.length === 0 || isExempt(request)) return undefined;
      return new Dispatch({ caller, complete: options.complete, round }).run(request, all);
    },
  };
}

/** One pass through the webhooks. */
class Dispatch {
  readonly #caller: WebhookCaller;
  readonly #complete: Complete;
  readonly #round: MutationRound;
  readonly #memory: Memory;

  constructor({ caller, complete, round }: { caller: WebhookCaller; complete: Complete; round: MutationRound }) {
    this.#caller = caller;
    this.#complete = complete;
    this.#round = round;
    this.#memory = memoryOf(round);
  }

  async run(request: AdmissionRequest, hooks: readonly Hook[]): Promise<JsonRecord | undefined> {
    const memory = this.#memory;
    if (this.#round.isReinvocation && !isEqual(memory.output, request.object)) markStale(memory);
    let { object } = request;
    try {
      for (const hook of hooks) {
        const current = { ...request, object };
        const kind = await this.#caller.matchingKind(hook, current);
        if (kind === undefined || (this.#round.isReinvocation && !memory.stale.has(hook.id))) continue;
        const changed = await this.#call(hook, current, kind);
        if (changed !== undefined) {
          object = changed;
          markStale(memory);
          this.#round.requestReinvocation();
        }
        if (hook.isReinvokedIfNeeded) memory.called.add(hook.id);
      }
    } finally {
      memory.output = object;
    }
    return object === request.object ? undefined : object;
  }

  /** Calls one webhook. Returns the changed object, or undefined if the webhook changed nothing. */
  async #call(hook: Hook, request: AdmissionRequest, kind: ServedKind): Promise<JsonRecord | undefined> {
    const seen = await objectsInVersion(request, kind);
    const response = await this.#caller.call(hook, { request, kind, mayPatch: true, ...seen });
    if (response === undefined) return undefined;
    if (!response.isAllowed) throw deniedStatus(hook.name, response.result);
    if (response.patch === "") return undefined;
    const patched = patchedObject(hook, response, seen.object);
    if (patched === undefined) return undefined;
    const { subresource } = request;
    const completed = this.#complete(patched, kind, subresource);
    if (isEqual(completed, seen.object)) return undefined;
    return subresource === "" || subresource === "status" ? convertObject(completed, kind, request.kind) : completed;
  }
}

function memoryOf({ memory }: MutationRound): Memory {
  const existing = memory.get(memoryKey);
  if (isMemory(existing)) return existing;
  const created: Memory = { output: undefined, called: new Set(), stale: new Set() };
  memory.set(memoryKey, created);
  return created;
}

function isMemory(value: unknown): value is Memory {
  return typeof value === "object" && value !== null && "stale" in value;
}

function markStale({ called, stale }: Memory): void {
  for (const id of called) stale.add(id);
  called.clear();
}

function patchedObject(hook: Hook, response: ReviewResponse, object: JsonRecord | undefined): JsonRecord | undefined {
  const giveUp = (error: WebhookCallError): undefined => {
    if (hook.isFailureIgnored) return undefined;
    throw callFailure(hook, error);
  };
  const malformed = limitProblem(response.patch, "patch") ?? patchProblem(response.patch);
  if (malformed !== undefined) {
    return giveUp(new WebhookCallError(`received undecodable patch in webhook response: ${malformed}`));
  }
  if (isEmptyPatch(response.patch)) return undefined;
  if (object === undefined) {
    const why = `admission webhook ${quote(hook.name)} attempted to modify the object`;
    throw new StatusError(internalErrorStatus(`${why}, which is not supported for this operation`));
  }
  if (response.patchType !== "JSONPatch") {
    return giveUp(new WebhookCallError(`unsupported patch type ${quote(response.patchType)}`));
  }
  try {
    const patched = applyServerJsonPatch(object, response.patch);
    return isRecord(patched) ? patched : undefined;
  } catch (error) {
    if (!(error instanceof ServerPatchError)) throw error;
    throw new StatusError(internalErrorStatus(error.message), { cause: error });
  }
}

/** Returns the problem with a patch itself, independent of the object it is for. */
function patchProblem(patch: string): string | undefined {
  try {
    applyServerJsonPatch({}, patch);
    return undefined;
  } catch (error) {
    if (!(error instanceof ServerPatchError)) throw error;
    return error.failure === "malformed" ? error.message : undefined;
  }
}

function isEmptyPatch(patch: string): boolean {
  return /^\s*(\[\s*\]|null)\s*$/.test(patch);
}
