import type { Test } from "../api/locust-test.ts";
import { nodeName, ports } from "../api/names.ts";

/** Returns the arguments of the master. Where a flag is repeated, Locust uses the last value. */
export function masterArguments({ spec }: Test): string[] {
  const { master, worker, webUI } = spec;
  return [
    ...splitCommand(master.command),
    ...(usesOpenTelemetry(spec) ? ["--otel"] : []),
    "--master",
    `--master-port=${ports.master}`,
    `--expect-workers=${worker.replicas}`,
    ...endArguments(master),
    "--enable-rebalancing",
    "--only-summary",
    ...(worker.connectTimeoutSeconds > 0 ? [`--expect-workers-max-wait=${worker.connectTimeoutSeconds}`] : []),
    ...(webUI?.basePath === undefined ? [] : [`--web-base-path=${webUI.basePath}`]),
    ...(master.extraArgs ?? []),
  ];
}

/** Returns the arguments of each worker. */
export function workerArguments({ metadata, spec }: Test): string[] {
  return [
    ...splitCommand(spec.worker.command),
    ...(usesOpenTelemetry(spec) ? ["--otel"] : []),
    "--worker",
    `--master-port=${ports.master}`,
    `--master-host=${nodeName(metadata.name ?? "", "master")}`,
    ...(spec.worker.extraArgs ?? []),
  ];
}

/** Splits a command at white space. Quotes are not interpreted and stay part of their word. */
export function splitCommand(command: string): string[] {
  return command.split(/[ \t\n\r\v\f]+/).filter((word) => word !== "");
}

/** Reports whether the pods export traces and metrics by OpenTelemetry. */
export function usesOpenTelemetry({ observability }: Test["spec"]): boolean {
  return observability?.openTelemetry?.enabled === true;
}

// Locust exits with an error when it gets --autoquit without --autostart.
function endArguments({ autostart, autoquit }: Test["spec"]["master"]): string[] {
  if (!autostart) return [];
  if (autoquit?.enabled === false) return ["--autostart"];
  return ["--autostart", "--autoquit", String(autoquit?.timeout ?? 60)];
}

/** Flags that the operator sets itself. */
const managedFlags = [
  "--master",
  "--worker",
  "--master-port",
  "--master-host",
  "--expect-workers",
  "--autostart",
  "--autoquit",
  "--otel",
  "--enable-rebalancing",
  "--only-summary",
];

/** Returns the extra arguments that override a flag of the operator. They are kept, as Locust uses the last value. */
export function overriddenFlags(extraArgs: readonly string[] = []): string[] {
  return extraArgs.filter((argument) =>
    managedFlags.some((flag) => argument === flag || argument.startsWith(`${flag}=`)),
  );
}
