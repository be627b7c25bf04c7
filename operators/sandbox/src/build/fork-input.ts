import type { DeepReadonly } from "homeostat";
import type { CachedSandbox, ServiceEntry } from "../api/sandbox.ts";
import type { Baseline } from "./baseline.ts";
import type { EnvSources } from "./env.ts";
import type { DefaultLimits } from "./limits.ts";
import type { PatchPolicy } from "./patch-paths.ts";
import type { CachedService } from "./service-view.ts";
import type { ClaimModes } from "./volumes.ts";

/** Everything that a fork is derived from. */
export interface ForkInput {
  readonly baseline: Baseline;
  readonly sandbox: CachedSandbox;
  readonly entry: DeepReadonly<ServiceEntry>;
  /** The routing key of the sandbox. */
  readonly routingKey: string;
  /** All Services of the namespace of the baseline. */
  readonly services: readonly CachedService[];
  readonly claims: ClaimModes;
  readonly sources: EnvSources;
  readonly policy: PatchPolicy;
  readonly defaultLimits: DefaultLimits;
  /** True while the sandbox is idle or suspended: the fork has no pods. */
  readonly isAsleep: boolean;
}
