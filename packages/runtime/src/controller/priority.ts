import { ArgumentError } from "@homeostat/core";
import type { Controller } from "./definition.ts";
import type { ControllerInformers } from "./informers.ts";

/**
 * Largest distance of a priority from 0. `initialListPriority` is added to the priority of objects from the initial list, so that they stay
 * behind changes of objects with the same priority; the sum must stay within the limits of the queue.
 */
const priorityMax = 100;

/**
 * Returns the priority of an object according to the definition; 0 without one, for an uncached object, and when the function throws. An
 * error is passed to `onError`.
 */
export function priorityOf(
  { controller, informers }: { readonly controller: Controller; readonly informers: ControllerInformers },
  key: string,
  onError: (error: unknown) => void,
): number {
  const { priority } = controller.definition;
  const object = priority === undefined ? undefined : informers.primary.get(key);
  if (priority === undefined || object === undefined) return 0;
  try {
    const value = priority(object);
    if (Number.isInteger(value) && Math.abs(value) <= priorityMax) return value;
    const problem = `is ${value} for ${key}; it must be an integer between -${priorityMax} and ${priorityMax}.`;
    throw new ArgumentError({ argument: "priority", problem });
  } catch (error) {
    onError(error);
    return 0;
  }
}
