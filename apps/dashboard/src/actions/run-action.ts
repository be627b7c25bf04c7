import type { Client } from "@homeostat/client";
import {
  ApiError,
  type Clock,
  type DeepReadonly,
  isRecord,
  type KubeObject,
  ownValue,
  type Random,
  type ResourceType,
} from "@homeostat/core";
import type { ActionView, ObjectRef } from "../api/types.ts";
import { RequestError } from "../errors.ts";
import type { Action } from "./action.ts";
import { actionsOf } from "./actions.ts";

/** An action that a user has requested, with the object that the user saw. */
export interface ActionRequest {
  readonly type: ResourceType;
  readonly ref: ObjectRef;
  readonly uid: string;
  readonly action: string;
  /** Values by name, as the page sent them. */
  readonly inputs: unknown;
}

/** Number of times that an action is decided again because the object changed between its reading and the write. */
const attemptsMax = 3;

/**
 * Runs an action: reads the object, lets the action decide on a patch, and sends it with the UID and the resourceVersion of the object. An object
 * that changed meanwhile is read and decided on again, so that the patch always fits the object that it changes.
 */
export async function runAction(
  { type, ref, uid, action: name, inputs }: ActionRequest,
  {
    client,
    clock,
    random,
    signal,
  }: { readonly client: Client; readonly clock: Clock; readonly random: Random; readonly signal: AbortSignal },
): Promise<void> {
  const action = actionsOf(type).find((one) => one.name === name);
  if (action === undefined) throw new RequestError(404, `${type.kind} has no action ${name}.`);
  for (let attempt = 1; ; attempt += 1) {
    const object = await client.get(type, ref, { signal });
    if (object?.metadata.uid !== uid)
      throw new RequestError(409, `${type.kind} ${ref.name} was deleted or replaced. Open its page again.`);
    if (!action.isOffered(object))
      throw new RequestError(409, `${action.label} is not possible in the present state of ${type.kind} ${ref.name}.`);
    const result = action.patch(object, { inputs: valuesOf(action, inputs), nowMs: clock.now(), random });
    if ("problem" in result) throw new RequestError(400, result.problem);
    const { resourceVersion } = object.metadata;
    const metadata = { ...metadataOf(result.patch), uid, resourceVersion };
    try {
      await client.patch(type, ref, { merge: { ...result.patch, metadata } }, { fieldManager: "dashboard", signal });
      return;
    } catch (error) {
      if (!isConflict(error) || attempt >= attemptsMax) throw error;
    }
  }
}

/** Returns the actions that an object offers at present. */
export function offeredActions(object: DeepReadonly<KubeObject>, type: ResourceType): ActionView[] {
  return actionsOf(type)
    .filter((action) => action.isOffered(object))
    .map(({ name, label, description, inputs = [], isDangerous = false }) => ({
      name,
      label,
      description,
      inputs,
      isDangerous,
    }));
}

function valuesOf({ inputs = [] }: Action, values: unknown): ReadonlyMap<string, string> {
  return new Map(
    inputs.map(({ name, label, initial, choices }) => {
      const value = (isRecord(values) ? ownValue(values, name) : undefined) ?? initial;
      if (typeof value !== "string") throw new RequestError(400, `${label} must be a text.`);
      if (choices !== undefined && !choices.includes(value))
        throw new RequestError(400, `${label} must be one of ${choices.join(", ")}; it is ${JSON.stringify(value)}.`);
      return [name, value];
    }),
  );
}

function metadataOf(patch: Readonly<Record<string, unknown>>): object {
  const metadata = ownValue(patch, "metadata");
  return isRecord(metadata) ? metadata : {};
}

function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409;
}
