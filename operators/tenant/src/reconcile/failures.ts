import type { Component } from "../api/identity.ts";
import type { Obstacle } from "../status/component.ts";
import { StepsFailedError } from "./errors.ts";
import { type Trouble, troubleOf } from "./trouble.ts";

/** How long to wait for something that others have to do: a Secret, an old namespace. */
export const externalWaitMs = 30_000;

/** What went wrong in a pass. Every step is tried, whatever became of those before. */
export class Troubles {
  readonly #found: { readonly component: Component; readonly trouble: Trouble }[] = [];

  /** Takes note of an error. */
  add(component: Component, error: unknown): Trouble {
    const trouble = troubleOf(error);
    this.#found.push({ component, trouble });
    return trouble;
  }

  /** What is to be shown of a component whose objects could not be made. */
  obstacleOf(component: Component): Obstacle | undefined {
    for (const { component: of, trouble } of this.#found) {
      if (of !== component) continue;
      if (trouble.is === "conflict") return { reason: "ResourceConflict", message: trouble.message };
      if (trouble.is === "refused") return trouble.obstacle;
    }
    return undefined;
  }

  /** What went wrong with a component, in words. */
  messageOf(component: Component): string | undefined {
    return this.#found.find(({ component: of }) => of === component)?.trouble.message;
  }

  /** What the API server will never take. */
  get invalid(): string | undefined {
    return this.#found.find(({ trouble }) => trouble.is === "invalid")?.trouble.message;
  }

  /** What belongs to nobody's component and is somebody else's. */
  get conflict(): string | undefined {
    return this.#found.find(({ trouble }) => trouble.is === "conflict")?.trouble.message;
  }

  /** What is tried again with growing pauses, in words. */
  get passing(): string | undefined {
    const told = this.#found.flatMap(({ trouble }) => (trouble.is === "passing" ? [trouble.message] : []));
    return told.length === 0 ? undefined : told.join("; ");
  }

  /** Whether something is on its way out, and has to be waited for. */
  get isWaiting(): boolean {
    return this.#found.some(({ trouble }) => trouble.is === "leaving");
  }

  /** The error to throw, so that all of it is tried again; undefined when there is nothing to try again. */
  toError(tenant: string): Error | undefined {
    const errors = this.#found.flatMap(({ trouble }) =>
      trouble.is === "passing" || trouble.is === "refused" ? [trouble.error] : [],
    );
    const [first] = errors;
    if (errors.length === 0) return undefined;
    return errors.length === 1 && first instanceof Error ? first : new StepsFailedError(tenant, errors);
  }
}
