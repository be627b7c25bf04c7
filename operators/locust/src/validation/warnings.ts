import { isEqual } from "@homeostat/core";
import type { Test } from "../api/locust-test.ts";
import { splitCommand, usesOpenTelemetry } from "../build/command-line.ts";
import { locustContainer } from "../build/containers.ts";
import { effectiveArguments } from "../api/effective-arguments.ts";
import type { Settings } from "../settings/settings.ts";
import type { TestWarning } from "./problem.ts";

/** If autoquit is shorter than this, the master may exit before the operator has read its final statistics. */
const autoquitSecondsMin = 15;

/** Input of the warnings; `old` is the test before an update. */
interface WarningInput {
  readonly settings: Settings;
  readonly old?: Test | undefined;
}

const warnings: readonly ((test: Test, input: WarningInput) => Iterable<TestWarning>)[] = [
  commandWarnings,
  endWarnings,
  placementWarnings,
  telemetryWarnings,
  editWarnings,
];

/** Returns all warnings about a test. */
export function testWarnings(test: Test, input: WarningInput): TestWarning[] {
  return warnings.flatMap((each) => [...each(test, input)]);
}

function* commandWarnings({ spec }: Test): Iterable<TestWarning> {
  for (const role of ["master", "worker"] as const) {
    const path = `spec.${role}.command`;
    const { command } = spec[role];
    if (splitCommand(command)[0] === "locust") {
      yield { path, message: "starts with locust, which the official image already runs; remove this word" };
    }
    if (/["']/.test(command)) {
      yield { path, message: "contains quotes, which are not interpreted; use extraArgs for arguments with spaces" };
    }
  }
}

function* endWarnings(test: Test, { settings }: WarningInput): Iterable<TestWarning> {
  const { master, env, thresholds = [], results, timeoutSeconds } = test.spec;
  const { headless, runTime, unknown } = effectiveArguments(locustContainer({ test, settings, run: 1 }, "master"));
  const hasSources = [...(env?.configMapRefs ?? []), ...(env?.secretRefs ?? [])].length > 0;
  if (runTime === undefined && !unknown.has("runTime") && !hasSources && timeoutSeconds === undefined) {
    const message = "sets no --run-time; unless a load shape ends the run, the master does not exit";
    yield { path: "spec.master.command", message };
  }
  const quits = master.autoquit?.enabled !== false;
  if (!master.autostart && quits) {
    const message = "has no effect without autostart: the master keeps running after the load";
    yield { path: "spec.master.autoquit", message };
  }
  if (headless) {
    yield {
      path: "spec.master",
      message: "with --headless there are no live statistics, no metrics exporter and no graceful stop",
    };
  }
  const needsStats = thresholds.length > 0 || results?.store === "ConfigMap";
  if (master.autostart && quits && (master.autoquit?.timeout ?? 60) < autoquitSecondsMin && needsStats) {
    const message = `below ${autoquitSecondsMin} seconds the master may exit before its final statistics are read`;
    yield { path: "spec.master.autoquit.timeout", message };
  }
}

function* placementWarnings({ spec: { scheduling } }: Test, { settings }: WarningInput): Iterable<TestWarning> {
  if (scheduling?.affinity !== undefined && !settings.affinityInjection) {
    const message = "is ignored: ENABLE_AFFINITY_CR_INJECTION is not set on the operator";
    yield { path: "spec.scheduling.affinity", message };
  }
  if ((scheduling?.tolerations ?? []).length > 0 && !settings.tolerationsInjection) {
    const message = "is ignored: ENABLE_TAINT_TOLERATIONS_CR_INJECTION is not set on the operator";
    yield { path: "spec.scheduling.tolerations", message };
  }
}

function* telemetryWarnings({ spec }: Test): Iterable<TestWarning> {
  if (!usesOpenTelemetry(spec) || spec.image.toLowerCase().includes("otel")) return;
  yield { path: "spec.image", message: "does not look like an image with OpenTelemetry, which --otel requires" };
}

function* editWarnings(test: Test, { old }: WarningInput): Iterable<TestWarning> {
  const phase = old?.status?.phase ?? "Pending";
  if (old === undefined || phase === "Pending" || isEqual(test.spec, old.spec)) return;
  const message = "the test has already started; the change takes effect when the test is rerun or recreated";
  yield { path: "spec", message };
}
