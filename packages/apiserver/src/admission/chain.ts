import { isRecord, type JsonRecord } from "@homeostat/core";
import { textAt } from "../values/fields.ts";
import type { AdmissionRequest, AdmissionStep, MutationRound } from "./admission.ts";

/**
 * The steps of admission, one after the other in the order given.
 *
 * A write goes through {@link AdmissionChain.mutate} and {@link AdmissionChain.finish} when its object is made ready, through {@link AdmissionChain.validate}
 * when it was found valid, and through {@link AdmissionChain.atWrite} in the turn in which it is stored. Each refuses by
 * throwing a `StatusError`.
 */
export class AdmissionChain {
  readonly #steps: readonly AdmissionStep[];

  constructor(steps: readonly AdmissionStep[]) {
    this.#steps = steps;
  }

  /** Lets every step change the object and returns what came out; undefined for a deletion. The object given stays as it is. */
  async mutate(request: AdmissionRequest): Promise<JsonRecord | undefined> {
    const memory = new Map<string, unknown>();
    let isRepeated = false;
    const repeat = (): void => void (isRepeated = true);
    const first = await this.#pass(request, { isSecond: false, memory, repeat });
    const second = { isSecond: true, memory, repeat };
    return isRepeated ? this.#pass({ ...request, object: first }, second) : first;
  }

  /** Sets what only the server sets, once it is known that the version of an update is the stored one; see `mutate`. */
  finish(request: AdmissionRequest): JsonRecord | undefined {
    let { object } = request;
    for (const step of this.#steps) object = step.finish?.({ ...request, object }) ?? object;
    return object;
  }

  async #pass(request: AdmissionRequest, round: MutationRound): Promise<JsonRecord | undefined> {
    let { object } = request;
    for (const step of this.#steps) {
      if (step.mutate === undefined) continue;
      const changed = step.mutate({ ...request, object }, round);
      object = (changed instanceof Promise ? await changed : changed) ?? object;
    }
    return object;
  }

  /** Lets every step look at the final object. */
  async validate(request: AdmissionRequest): Promise<void> {
    const named = withName(request);
    for (const step of this.#steps) {
      const looked = step.validate?.(named);
      if (looked instanceof Promise) await looked;
    }
  }

  /** Lets every step look once more, in the turn of the write. Not for dry runs: nothing is written. */
  atWrite(request: AdmissionRequest): void {
    const named = withName(request);
    for (const step of this.#steps) step.atWrite?.(named);
  }
}

/** By now a name that the server makes up is there; what is new has no version before it is stored. */
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
