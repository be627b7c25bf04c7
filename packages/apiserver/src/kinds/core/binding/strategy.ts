import type { KindStrategy } from "../../strategy.ts";
import { bindPod } from "../pod/binding.ts";
import { handlePodAction } from "../pod/pod-action.ts";

/** Bindings: the deprecated way to schedule a pod, without naming the pod in the path. */
export const bindingStrategy: KindStrategy = {
  group: "",
  plural: "bindings",
  isUnmeasured: true,
  endpoints: (_, kind) => [{ subresource: "", handle: (authorized) => handlePodAction(authorized, kind, bindPod) }],
};
