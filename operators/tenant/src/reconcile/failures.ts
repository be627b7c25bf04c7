import { classifyApiFailure } from "homeostat";
import { InvalidError } from "@homeostat/core";
import { ManagedObjectsError } from "@homeostat/runtime";
import type { Component } from "../api/identity.ts";
import { problemOfRefusal } from "../observe/pod-problems.ts";
import type { ComponentProblem } from "../status/component.ts";

/** Requeue interval while the tenant waits for something outside: a Secret, or the end of a terminating namespace. */
export const externalWaitMs = 30_000;

/** The failure classes of a step. Each one has its own effect on status and retries. */
export type Failure = { readonly message: string; readonly error: unknown } & (
  | {
      /**
       * - `conflict`: an object of that name is not owned by the tenant. Checked again at the periodic requeue.
       * - `invalid`: the API server rejects the object as invalid. It is not retried until the spec changes.
       * - `terminating`: the namespace or the object is being deleted. Checked again after `externalWaitMs`.
       * - `transient`: any other error. Retried with backoff.
       */
      readonly class: "conflict" | "invalid" | "terminating" | "transient";
    }
  /** A quota or Pod Security denies it. Retried with backoff. */
  | { readonly class: "refused"; readonly problem: ComponentProblem }
);

export function classifyFailure(error: unknown): Failure {
  const failure = classifyApiFailure(error);
  const { reason, detail: message } = failure;
  if (reason === "NotOwned") return { class: "conflict", message, error };
  if (reason === "BeingDeleted" || reason === "NamespaceTerminating") return { class: "terminating", message, error };
  // Admission policies can also respond with 422.
  if (reason === "Invalid" || error instanceof InvalidError) return { class: "invalid", message, error };
  const problem = problemOfRefusal(failure, message);
  return problem === undefined ? { class: "transient", message, error } : { class: "refused", problem, message, error };
}

/** The failures of one reconcile. A failed step does not stop the others. */
export class Failures {
  readonly #all: { readonly component: Component; readonly object: string; readonly failure: Failure }[] = [];

  add(component: Component, object: string, error: unknown): Failure {
    const failure = classifyFailure(error);
    this.#all.push({ component, object, failure });
    return failure;
  }

  /** Returns why the objects of a component could not be applied, for its status. */
  problemOf(component: Component): ComponentProblem | undefined {
    for (const { component: each, failure } of this.#all) {
      if (each !== component) continue;
      if (failure.class === "conflict") return { reason: "ResourceConflict", message: failure.message };
      if (failure.class === "refused") return failure.problem;
    }
    return undefined;
  }

  messageOf(component: Component): string | undefined {
    return this.#all.find((each) => each.component === component)?.failure.message;
  }

  get invalid(): string | undefined {
    return this.#of("invalid")[0]?.message;
  }

  /** The messages of all transient failures. */
  get transient(): string | undefined {
    const messages = this.#of("transient").map(({ message }) => message);
    return messages.length === 0 ? undefined : messages.join("; ");
  }

  get hasTerminating(): boolean {
    return this.#of("terminating").length > 0;
  }

  /** Returns the error to throw so that the runtime retries; undefined if no retry is needed. */
  toError(tenant: string): Error | undefined {
    const failed = this.#of("transient", "refused");
    const [first] = failed;
    if (first === undefined) return undefined;
    return failed.length === 1 && first.error instanceof Error
      ? first.error
      : new ManagedObjectsError(`Tenant ${tenant}`, failed);
  }

  #of(...classes: readonly Failure["class"][]): readonly (Failure & { readonly object: string })[] {
    return this.#all.flatMap(({ object, failure }) =>
      classes.includes(failure.class) ? [{ object, ...failure }] : [],
    );
  }
}
