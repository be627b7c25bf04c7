import { isEqual } from "@homeostat/core";
import { splitSeed } from "../build/split.ts";
import { effectiveArguments } from "../build/effective-arguments.ts";
import { isTraced } from "../build/command-line.ts";
import { locustContainer } from "../build/locust-container.ts";
import type { Test } from "../build/objects.ts";
import type { OperatorConfig } from "../settings/settings.ts";
import type { TestWarning } from "./problem.ts";

/** A master that goes sooner than this may be gone before its last numbers are read. */
const autoquitSecondsMin = 15;

/**
 * What a user may not have meant, all of it. A test with warnings runs.
 *
 * `old` is the test before an update.
 */
export function testWarnings(
  test: Test,
  { config, old }: { config: OperatorConfig; old?: Test | undefined },
): TestWarning[] {
  return [
    ...seedWarnings(test),
    ...endingWarnings(test, config),
    ...placementWarnings(test, config),
    ...telemetryWarnings(test),
    ...changeWarnings(test, old),
  ];
}

function* seedWarnings({ spec }: Test): Iterable<TestWarning> {
  for (const role of ["master", "worker"] as const) {
    const path = `spec.${role}.command`;
    const { command } = spec[role];
    if (splitSeed(command)[0] === "locust") {
      yield { path, message: "begins with locust, which the official image already starts; leave the word out" };
    }
    if (/["']/.test(command)) {
      yield { path, message: "has quotes, which are not interpreted; use extraArgs for arguments with spaces" };
    }
  }
}

function* endingWarnings(test: Test, config: OperatorConfig): Iterable<TestWarning> {
  const { master, env, thresholds = [], results, timeoutSeconds } = test.spec;
  const { headless, runTime, unknown } = effectiveArguments(locustContainer({ test, config, run: 1 }, "master"));
  const comesFromElsewhere = [...(env?.configMapRefs ?? []), ...(env?.secretRefs ?? [])].length > 0;
  if (runTime === undefined && !unknown.has("runTime") && !comesFromElsewhere && timeoutSeconds === undefined) {
    const message = "has no --run-time; unless a load shape ends it, the master will not end by itself";
    yield { path: "spec.master.command", message };
  }
  const quits = master.autoquit?.enabled !== false;
  if (!master.autostart && quits) {
    yield {
      path: "spec.master.autoquit",
      message: "is left out without autostart: the master stays up after the load",
    };
  }
  if (headless) {
    yield { path: "spec.master", message: "with --headless there are no live stats, no exporter and no graceful stop" };
  }
  const timeout = master.autoquit?.timeout ?? 60;
  const needsNumbers = thresholds.length > 0 || results?.store === "ConfigMap";
  if (master.autostart && quits && timeout < autoquitSecondsMin && needsNumbers) {
    const message = `below ${autoquitSecondsMin} seconds the master may be gone before its last numbers are read`;
    yield { path: "spec.master.autoquit.timeout", message };
  }
}

function* placementWarnings({ spec: { scheduling } }: Test, config: OperatorConfig): Iterable<TestWarning> {
  if (scheduling?.affinity !== undefined && !config.affinityInjection) {
    const message = "is ignored: the operator runs without ENABLE_AFFINITY_CR_INJECTION";
    yield { path: "spec.scheduling.affinity", message };
  }
  if ((scheduling?.tolerations ?? []).length > 0 && !config.tolerationsInjection) {
    const message = "is ignored: the operator runs without ENABLE_TAINT_TOLERATIONS_CR_INJECTION";
    yield { path: "spec.scheduling.tolerations", message };
  }
}

function* telemetryWarnings({ spec }: Test): Iterable<TestWarning> {
  if (isTraced(spec) && !spec.image.toLowerCase().includes("otel")) {
    const message = "does not look like an image with OpenTelemetry; --otel needs one";
    yield { path: "spec.image", message };
  }
}

function* changeWarnings(test: Test, old: Test | undefined): Iterable<TestWarning> {
  const phase = old?.status?.phase ?? "Pending";
  if (old === undefined || phase === "Pending" || isEqual(test.spec, old.spec)) return;
  const message = "the test has already started: the change has no effect before it is run again or made anew";
  yield { path: "spec", message };
}
