import { ApiError, type ErrorClass, ForbiddenError, HomeostatError, InvalidError } from "@homeostat/core";
import { BeingDeletedError } from "@homeostat/runtime";
import type { Component } from "../api/identity.ts";
import { ResourceConflictError } from "../apply/errors.ts";
import { refusalIn } from "../observe/workloads.ts";
import type { ComponentProblem } from "../status/component.ts";

/** Requeue interval while the tenant waits for others: a Secret, or a terminating namespace. */
export const externalWaitMs = 30_000;

/** The failure classes of a step. Each one has its own effect on status and retries. */
export type Failure =
  /** An object of that name is not owned by the tenant. Checked again at the periodic requeue. */
  | { readonly class: "conflict"; readonly message: string }
  /** The API server rejects the object as invalid. Only another spec helps, so it is not retried. */
  | { readonly class: "invalid"; readonly message: string }
  /** The namespace or the object is being deleted. Checked again after `externalWaitMs`. */
  | { readonly class: "terminating"; readonly message: string; readonly error: unknown }
  /** A quota or Pod Security denies it. Retried with backoff. */
  | {
      readonly class: "refused";
      readonly problem: ComponentProblem;
      readonly message: string;
      readonly error: unknown;
    }
  /** Any other error. Retried with backoff. */
  | { readonly class: "transient"; readonly message: string; readonly error: unknown };

/** Classifies an error. */
export function classifyFailure(error: unknown): Failure {
  const message =
    error instanceof ApiError ? error.serverMessage : error instanceof Error ? error.message : String(error);
  if (error instanceof ResourceConflictError) return { class: "conflict", message };
  const isNamespaceTerminating =
    error instanceof ForbiddenError && error.causes.some(({ reason }) => reason === "NamespaceTerminating");
  if (error instanceof BeingDeletedError || isNamespaceTerminating) return { class: "terminating", message, error };
  if (error instanceof InvalidError) return { class: "invalid", message };
  const problem = error instanceof ForbiddenError ? refusalIn(message) : undefined;
  if (problem !== undefined) return { class: "refused", problem, message, error };
  return { class: "transient", message, error };
}

/** The failures of one reconcile. A failed step does not stop the others. */
export class Failures {
  readonly #all: { readonly component: Component; readonly failure: Failure }[] = [];

  add(component: Component, error: unknown): Failure {
    const failure = classifyFailure(error);
    this.#all.push({ component, failure });
    return failure;
  }

  /** Why the objects of a component could not be applied, as its status shows it. */
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
    return this.#all.find(({ failure }) => failure.class === "invalid")?.failure.message;
  }

  /** The messages of all transient failures. */
  get transient(): string | undefined {
    const messages = this.#all.flatMap(({ failure }) => (failure.class === "transient" ? [failure.message] : []));
    return messages.length === 0 ? undefined : messages.join("; ");
  }

  get hasTerminating(): boolean {
    return this.#all.some(({ failure }) => failure.class === "terminating");
  }

  /** The error to throw, so that the runtime retries; undefined when nothing is to be retried. */
  toError(tenant: string): Error | undefined {
    const errors = this.#all.flatMap(({ failure }) =>
      failure.class === "transient" || failure.class === "refused" ? [failure.error] : [],
    );
    const [first] = errors;
    if (errors.length === 0) return undefined;
    return errors.length === 1 && first instanceof Error ? first : new StepsFailedError(tenant, errors);
  }
}

/**
 * Thrown when several steps of one reconcile failed. All of them are retried; `errors` has each, and the condition Ready of the
 * tenant shows them.
 */
export class StepsFailedError extends HomeostatError {
  readonly code = "STEPS_FAILED";
  readonly errors: readonly unknown[];

  constructor(tenant: string, errors: readonly unknown[]) {
    const messages = errors.map((error) => (error instanceof Error ? error.message : String(error))).join(" ");
    super(`${errors.length} steps of Tenant ${tenant} failed and are retried: ${messages}`, { cause: errors[0] });
    this.errors = errors;
  }

  override get retryable(): boolean {
    return true;
  }

  override get errorClass(): ErrorClass {
    return "transient";
  }
}
