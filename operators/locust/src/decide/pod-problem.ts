import type { Reason } from "../api/conditions.ts";
import type { Role } from "../api/identity.ts";

/** What can be wrong with a pod. */
export type ProblemType = Exclude<Reason<"PodsHealthy">, "PodsStarting" | "PodsHealthy">;

/** What can be wrong with a pod, the most important first. */
export const problemTypes = [
  "ConfigurationError",
  "ImagePullError",
  "SchedulingError",
  "CrashLoopBackOff",
  "InitializationError",
] as const satisfies readonly ProblemType[];

/** What is wrong with one pod. */
export interface PodProblem {
  readonly pod: string;
  readonly role: Role;
  readonly type: ProblemType;
  readonly text: string;
}
