import type { DeepReadonly } from "@homeostat/core";
import { ports } from "../api/identity.ts";
import type { LocustTest } from "../api/locust-test.ts";
import { nodeName } from "../api/names.ts";
import { splitSeed } from "./split.ts";

type Test = DeepReadonly<LocustTest>;

/** The arguments of the master's Locust, in the order that users know. What comes last wins. */
export function masterArguments({ spec }: Test): string[] {
  const { master, worker, webUI } = spec;
  return [
    ...splitSeed(master.command),
    ...(isTraced(spec) ? ["--otel"] : []),
    "--master",
    `--master-port=${ports.master}`,
    `--expect-workers=${worker.replicas}`,
    ...endingArguments(master),
    "--enable-rebalancing",
    "--only-summary",
    ...(worker.connectTimeoutSeconds > 0 ? [`--expect-workers-max-wait=${worker.connectTimeoutSeconds}`] : []),
    ...(webUI?.basePath === undefined ? [] : [`--web-base-path=${webUI.basePath}`]),
    ...(master.extraArgs ?? []),
  ];
}

/** The arguments of each worker's Locust. */
export function workerArguments({ metadata, spec }: Test): string[] {
  return [
    ...splitSeed(spec.worker.command),
    ...(isTraced(spec) ? ["--otel"] : []),
    "--worker",
    `--master-port=${ports.master}`,
    `--master-host=${nodeName(metadata.name ?? "", "master")}`,
    ...(spec.worker.extraArgs ?? []),
  ];
}

/** Whether the pods send traces and metrics by OpenTelemetry. */
export function isTraced({ observability }: Test["spec"]): boolean {
  return observability?.openTelemetry?.enabled === true;
}

// Locust exits with an error when it is told to quit by itself but not to start by itself.
function endingArguments({ autostart, autoquit }: Test["spec"]["master"]): string[] {
  if (!autostart) return [];
  if (autoquit?.enabled === false) return ["--autostart"];
  return ["--autostart", "--autoquit", String(autoquit?.timeout ?? 60)];
}
