import { labelValueProblems, quoteText } from "@homeostat/core";
import type { Test } from "../api/locust-test.ts";
import { type Role, withoutDots } from "../api/names.ts";
import { metrics } from "../api/spec.ts";
import { splitCommand } from "../build/command-line.ts";
import { nameOf } from "../build/objects.ts";
import type { Settings } from "../settings/settings.ts";
import { hostAccessRule, serviceAccountTokenRule } from "./host-access.ts";
import { mountRules } from "./mounts.ts";
import type { TestProblem } from "./problem.ts";
import { webBasePathRule } from "./web-base-path.ts";

/** Rules beyond the schema, in the order in which problems are reported. They decide whether a test can run. */
const specRules: readonly ((test: Test) => Iterable<TestProblem>)[] = [
  nameRules,
  commandRules,
  replicasRule,
  mountRules,
  telemetryRule,
  thresholdRules,
];

/** Rules that protect the cluster. They decide whether a test may run, so they do not apply to existing Jobs. */
const policyRules: readonly ((test: Test, settings: Settings) => Iterable<TestProblem>)[] = [
  webBasePathRule,
  hostAccessRule,
  serviceAccountTokenRule,
];

/**
 * Returns all problems of a test; empty when it can and may run.
 *
 * The webhook denies a test with problems. The controller checks again before it creates anything, because the webhook may be disabled.
 */
export function testProblems(test: Test, settings: Settings): TestProblem[] {
  const problems = specProblems(test);
  if (hasLongCommand(problems)) return problems;
  return [...problems, ...policyRules.flatMap((rule) => [...rule(test, settings)])];
}

/** Returns the problems that prevent a test from running, independent of the operator's settings. */
export function specProblems(test: Test): TestProblem[] {
  const longCommands = [...commandLengthRule(test)];
  return longCommands.length > 0 ? longCommands : specRules.flatMap((rule) => [...rule(test)]);
}

/** Reports whether a command is too long to be split. Other rules and the warnings split commands, so they are not checked then. */
export function hasLongCommand(problems: readonly TestProblem[]): boolean {
  return problems.some(({ rule }) => rule === "CommandTooLong");
}

/**
 * Linux starts no program with an argument of more than 128 KiB, and no honest command line comes near it. An API server accepts
 * objects of 3 MiB: splitting a command of a million words blocked the event loop for 700 ms.
 */
const commandLengthMax = 128 * 1024;

function* commandLengthRule({ spec }: Test): Iterable<TestProblem> {
  for (const role of ["master", "worker"] as const) {
    const { length } = spec[role].command;
    if (length <= commandLengthMax) continue;
    const message = `has ${length} characters, and at most ${commandLengthMax} are allowed`;
    yield { rule: "CommandTooLong", path: `spec.${role}.command`, message };
  }
}

/** `-master` is appended to the name, and names of Jobs have at most 63 characters. */
const nameLengthMax = 56;

function* nameRules(test: Test): Iterable<TestProblem> {
  const name = nameOf(test);
  const path = "metadata.name";
  if (name.length > nameLengthMax) {
    const message = `name ${quoteText(name)} is too long: generated Job names would exceed 63 characters (max CR name length is ${nameLengthMax})`;
    yield { rule: "NameTooLong", path, message };
  }
  if (!/^[a-z]/.test(withoutDots(name))) {
    const message = `name ${quoteText(name)} must start with a letter: it is used for a Service`;
    yield { rule: "NameNotAServiceName", path, message };
  }
  if (labelValueProblems(name).length > 0) {
    yield { rule: "NameNotALabelValue", path, message: `name ${quoteText(name)} cannot be used as a label value` };
  }
}

function* commandRules({ spec }: Test): Iterable<TestProblem> {
  const texts = [
    ["spec.image", spec.image],
    ["spec.master.command", spec.master.command],
    ["spec.worker.command", spec.worker.command],
  ] as const;
  for (const [path, text] of texts) {
    if (text.trim() === "") yield { rule: "FieldBlank", path, message: `${path} must not be blank` };
  }
  // Locust does not start with these flags.
  yield* refusedFlags(spec, "master", ["--worker", "--processes"]);
  yield* refusedFlags(spec, "worker", ["--master"]);
  const hasAutostart = wordsOf(spec, "worker").some(({ word }) => isFlag(word, "--autostart"));
  if (!hasAutostart) yield* refusedFlags(spec, "worker", ["--autoquit"]);
}

function* refusedFlags(spec: Test["spec"], role: Role, flags: readonly string[]): Iterable<TestProblem> {
  const words = wordsOf(spec, role);
  for (const flag of flags) {
    const found = words.find(({ word }) => isFlag(word, flag));
    if (found === undefined) continue;
    yield { rule: "FlagNotAllowed", path: found.path, message: `${flag} cannot be used on the ${role}` };
  }
}

function wordsOf(spec: Test["spec"], role: Role): { word: string; path: string }[] {
  const { command, extraArgs = [] } = spec[role];
  return [
    ...splitCommand(command).map((word) => ({ word, path: `spec.${role}.command` })),
    ...extraArgs.map((word, index) => ({ word, path: `spec.${role}.extraArgs[${index}]` })),
  ];
}

function isFlag(word: string, flag: string): boolean {
  return word === flag || word.startsWith(`${flag}=`);
}

const replicasMax = 500;

function* replicasRule({ spec: { worker } }: Test): Iterable<TestProblem> {
  if (Number.isInteger(worker.replicas) && worker.replicas >= 1 && worker.replicas <= replicasMax) return;
  const message = `must be an integer from 1 to ${replicasMax}`;
  yield { rule: "ReplicasOutOfRange", path: "spec.worker.replicas", message };
}

function* telemetryRule({ spec: { observability } }: Test): Iterable<TestProblem> {
  const telemetry = observability?.openTelemetry;
  if (telemetry?.enabled !== true || (telemetry.endpoint ?? "").trim() !== "") return;
  yield {
    rule: "TelemetryWithoutEndpoint",
    path: "spec.observability.openTelemetry.endpoint",
    message: "observability.openTelemetry.endpoint is required when OpenTelemetry is enabled",
  };
}

function* thresholdRules({ spec }: Test): Iterable<TestProblem> {
  for (const [index, { metric, min, max }] of (spec.thresholds ?? []).entries()) {
    const problem = (message: string): TestProblem => {
      return { rule: "ThresholdInvalid", path: `spec.thresholds[${index}]`, message };
    };
    const isKnown: boolean = metrics.some((each) => each === metric);
    if (!isKnown) yield problem(`unknown metric ${quoteText(metric)}`);
    if (min === undefined && max === undefined) yield problem("set min or max");
    if (metric === "missingWorkers" && min !== undefined) yield problem("missingWorkers supports only max");
    if ((min ?? 0) < 0) yield problem("min must not be negative");
    if ((max ?? 0) < 0) yield problem("max must not be negative");
    if (min !== undefined && max !== undefined && min > max) yield problem("min must not be greater than max");
  }
}
