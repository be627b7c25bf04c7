import type { DeepReadonly } from "homeostat";
import type { Stored } from "@homeostat/core";
import type { LocustTest, LocustTestStatus } from "../api/locust-test.ts";
import type { Role } from "../api/names.ts";
import type { LivePoller } from "../live/live-poller.ts";
import type { Settings } from "../settings/settings.ts";
import type { Context } from "./kinds.ts";
import type { WarningEvents } from "./warning-events.ts";

/** The parts of a reconcile that observation reads. It has nothing to write with. */
export interface ObserveScope {
  readonly context: Pick<Context, "client" | "key" | "log" | "namespace" | "owned" | "signal" | "watched">;
  readonly settings: Settings;
  readonly live: Pick<LivePoller, "track" | "view">;
  readonly warningEvents: WarningEvents;
  /** The API server's time at the start of the reconcile. */
  readonly now: number;
  readonly test: Stored<LocustTest>;
  readonly status: DeepReadonly<LocustTestStatus>;
  readonly run: number;
  /** Returns the name of the Job, and of the Service, of a role. */
  nodeName(role: Role): string;
}
