import type { DeepReadonly, KubeObject, Random } from "@homeostat/core";
import type { ActionInputView } from "../api/types.ts";

/** Values that an action may use besides the object. */
export interface ActionContext {
  /** Values that the user entered, by the names of {@link Action.inputs}. An input without a value has its initial one. */
  readonly inputs: ReadonlyMap<string, string>;
  /** Time of the request, in milliseconds since 1970. */
  readonly nowMs: number;
  readonly random: Random;
}

/** A JSON merge patch of an object. `null` removes a field. */
export type ActionPatch = Readonly<Record<string, unknown>>;

/**
 * A change of one object that a user starts with a button. Actions are pure: they return a patch, which the server sends with the rights of the
 * user, and only if the object still has the UID and the version that the action was decided for.
 */
export interface Action {
  /** Unique for the kind: `stop`. */
  readonly name: string;
  readonly group: string;
  readonly kind: string;
  /** Text of the button: `Stop`. */
  readonly label: string;
  /** Consequences, shown before the user confirms. */
  readonly description: string;
  readonly inputs?: readonly ActionInputView[] | undefined;
  /** True if the action stops or removes something. */
  readonly isDangerous?: boolean | undefined;
  /** Reports whether the object is in a state in which the action has an effect. */
  isOffered(object: DeepReadonly<KubeObject>): boolean;
  /** Returns the patch, or the reason why the inputs are not valid. */
  patch(
    object: DeepReadonly<KubeObject>,
    context: ActionContext,
  ): { readonly patch: ActionPatch } | { readonly problem: string };
}
