import { isRecord, type JsonRecord } from "@homeostat/core";
import { textAt } from "../values/fields.ts";
import type { AdmissionRequest, AdmissionStep, MutationRound } from "./admission.ts";

/**
 * Runs the steps of admission in the given order.
 *
 * A write passes four phases, each of which can refuse it by throwing a `StatusError`:
 *
 * 1. {@link AdmissionChain.mutate}: steps change the object. Runs before validation, because validation must see the
 *    final object.
 * 2. {@link AdmissionChain.finish}: the server sets its own fields.
 * 3. {@link AdmissionChain.validate}: steps check the object, after it passed the validation of its kind.
 * 4. {@link AdmissionChain.atWrite}: steps that count something check it, synchronously with the write.
 */
export class AdmissionChain {
  readonly #steps: readonly AdmissionStep[];

  constructor(steps: readonly AdmissionStep[]) {
    this.#steps = steps;
  }

  /**
   * Runs the mutating steps and returns the resulting object; undefined for a deletion. The given object is not
   * modified. If a step requests it, all steps run a second time, and never a third: two webhooks that undo each
   * other's changes must not loop.
   */
  async mutate(request: AdmissionRequest): Promise<JsonRecord | undefined> {
    const memory = new Map<string, unknown>();
    let isReinvoked = false;
    const requestReinvocation = (): void => void (isReinvoked = true);
    const first = await this.#runMutating(request, { isReinvocation: false, memory, requestReinvocation });
    const second = { isReinvocation: true, memory, requestReinvocation };
    return isReinvoked ? this.#runMutating({ ...request, object: first }, second) : first;
  }

  /**
   * Sets the fields that only the server may set. Called after the resourceVersion of an update was checked, so that a
   * conflicting update allocates nothing.
   */
  finish(request: AdmissionRequest): JsonRecord | undefined {
    let { object } = request;
    for (const step of this.#steps) object = step.finish?.({ ...request, object }) ?? object;
    return object;
  }

  async #runMutating(request: AdmissionRequest, round: MutationRound): Promise<JsonRecord | undefined> {
    let { object } = request;
    for (const step of this.#steps) {
      if (step.mutate === undefined) continue;
      const changed = step.mutate({ ...request, object }, round);
      object = (changed instanceof Promise ? await changed : changed) ?? object;
    }
    return object;
  }

  /** Runs the validating steps on the final object. */
  async validate(request: AdmissionRequest): Promise<void> {
    const named = withName(request);
    for (const step of this.#steps) {
      const checked = step.validate?.(named);
      if (checked instanceof Promise) await checked;
    }
  }

  /**
   * Runs the last checks, in the same turn of the event loop as the write. Not called for dry runs, which write
   * nothing.
   */
  atWrite(request: AdmissionRequest): void {
    const named = withName(request);
    for (const step of this.#steps) step.atWrite?.(named);
  }
}

/**
 * Fills in the name, which the server may have generated after mutation, and removes a resourceVersion from a new
 * object, which has none before it is stored.
 */
function withName(request: AdmissionRequest): AdmissionRequest {
  const { object, operation } = request;
  const name = request.name === "" ? textAt(object, "metadata", "name") : request.name;
  const isNew = operation === "CREATE" && textAt(object, "metadata", "resourceVersion") !== "";
  if (!isNew || object === undefined || !isRecord(object["metadata"])) {
    return name === request.name ? request : { ...request, name };
  }
  const { resourceVersion: _, ...metadata } = object["metadata"];
  return { ...request, name, object: { ...object, metadata } };
}
