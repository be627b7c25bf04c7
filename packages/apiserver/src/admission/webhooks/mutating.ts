import { quote } from "@homeostat/cel";
import { isEqual, isRecord, type JsonRecord } from "@homeostat/core";
import { applyServerJsonPatch } from "../../patch/json-patch.ts";
import { ServerPatchError } from "../../patch/patch-failure.ts";
import type { ServedKind } from "../../registry/served-kind.ts";
import { internalErrorStatus } from "../../status/refusals.ts";
import { StatusError } from "../../status/status.ts";
import type { AdmissionRequest, AdmissionStep, MutationRound } from "../admission.ts";
import { callFailure, converted, isExempt, objectsAs, WebhookCaller, type WebhookOptions } from "./dispatch.ts";
import { type Hook, Hooks } from "./hook.ts";
import { limitProblem } from "./response-limits.ts";
import { deniedStatus, type ReviewAnswer } from "./review.ts";
import { WebhookCallError } from "./webhook-errors.ts";

/** Reads an object that a webhook changed, as its kind does: what is missing is filled in. */
export type Complete = (object: JsonRecord, kind: ServedKind, subresource: string) => JsonRecord;

/** What mutating webhooks need besides. */
export interface MutatingWebhookOptions extends WebhookOptions {
  readonly complete: Complete;
}

const memoryKey = "MutatingAdmissionWebhook";

/** What the second round has to know of the first. */
interface Memory {
  /** What the object was after the webhooks. */
  output: JsonRecord | undefined;
  /** Webhooks that want to be asked again, asked since the last change. */
  readonly asked: Set<string>;
  /** Those of them after whom the object was changed. */
  readonly stale: Set<string>;
}

/** Asks the webhooks of MutatingWebhookConfigurations, one after the other, and applies their patches. */
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

/** One way through the webhooks. */
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
    if (this.#round.isSecond && !isEqual(memory.output, request.object)) outdate(memory);
    let { object } = request;
    try {
      for (const hook of hooks) {
        const current = { ...request, object };
        const kind = await this.#caller.wants(hook, current);
        if (kind === undefined || (this.#round.isSecond && !memory.stale.has(hook.id))) continue;
        const changed = await this.#ask(hook, current, kind);
        if (changed !== undefined) {
          object = changed;
          outdate(memory);
          this.#round.repeat();
        }
        if (hook.isRepeatedIfNeeded) memory.asked.add(hook.id);
      }
    } finally {
      memory.output = object;
    }
    return object === request.object ? undefined : object;
  }

  /** Asks one webhook; the object after it, if that is another. */
  async #ask(hook: Hook, request: AdmissionRequest, kind: ServedKind): Promise<JsonRecord | undefined> {
    const seen = await objectsAs(request, kind);
    const answer = await this.#caller.ask(hook, { request, kind, mayPatch: true, ...seen });
    if (answer === undefined) return undefined;
    if (!answer.isAllowed) throw deniedStatus(hook.name, answer.result);
    if (answer.patch === "") return undefined;
    const patched = patchedObject(hook, answer, seen.object);
    if (patched === undefined) return undefined;
    const { subresource } = request;
    const completed = this.#complete(patched, kind, subresource);
    if (isEqual(completed, seen.object)) return undefined;
    return subresource === "" || subresource === "status" ? converted(completed, kind, request.kind) : completed;
  }
}

function memoryOf({ memory }: MutationRound): Memory {
  const known = memory.get(memoryKey);
  if (isMemory(known)) return known;
  const made: Memory = { output: undefined, asked: new Set(), stale: new Set() };
  memory.set(memoryKey, made);
  return made;
}

function isMemory(value: unknown): value is Memory {
  return typeof value === "object" && value !== null && "stale" in value;
}

function outdate({ asked, stale }: Memory): void {
  for (const id of asked) stale.add(id);
  asked.clear();
}

function patchedObject(hook: Hook, answer: ReviewAnswer, object: JsonRecord | undefined): JsonRecord | undefined {
  const giveUp = (error: WebhookCallError): undefined => {
    if (hook.isFailureIgnored) return undefined;
    throw callFailure(hook, error);
  };
  const malformed = limitProblem(answer.patch, "patch") ?? patchProblem(answer.patch);
  if (malformed !== undefined) {
    return giveUp(new WebhookCallError(`received undecodable patch in webhook response: ${malformed}`));
  }
  if (isEmptyPatch(answer.patch)) return undefined;
  if (object === undefined) {
    const why = `admission webhook ${quote(hook.name)} attempted to modify the object`;
    throw new StatusError(internalErrorStatus(`${why}, which is not supported for this operation`));
  }
  if (answer.patchType !== "JSONPatch") {
    return giveUp(new WebhookCallError(`unsupported patch type ${quote(answer.patchType)}`));
  }
  try {
    const patched = applyServerJsonPatch(object, answer.patch);
    return isRecord(patched) ? patched : undefined;
  } catch (error) {
    if (!(error instanceof ServerPatchError)) throw error;
    throw new StatusError(internalErrorStatus(error.message), { cause: error });
  }
}

/** What is wrong with a patch before it is applied to anything. */
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
