import type { Role } from "../api/identity.ts";
import { splitSeed } from "../build/split.ts";
import type { Test } from "../build/objects.ts";
import type { TestProblem } from "./problem.ts";

/** What keeps Locust from starting at all. */
export function* commandProblems({ spec }: Test): Iterable<TestProblem> {
  const texts = [
    ["spec.image", spec.image],
    ["spec.master.command", spec.master.command],
    ["spec.worker.command", spec.worker.command],
  ] as const;
  for (const [path, text] of texts) {
    if (text.trim() === "") yield { rule: "C1", path, message: `${path} must not be blank` };
  }
  yield* refused(spec, "master", ["--worker", "--processes"]);
  yield* refused(spec, "worker", ["--master"]);
  const words = wordsOf(spec, "worker");
  if (!words.some(({ word }) => isFlag(word, "--autostart"))) yield* refused(spec, "worker", ["--autoquit"]);
}

function* refused(spec: Test["spec"], role: Role, flags: readonly string[]): Iterable<TestProblem> {
  const words = wordsOf(spec, role);
  for (const flag of flags) {
    const found = words.find(({ word }) => isFlag(word, flag));
    if (found !== undefined) {
      yield { rule: "C2", path: found.place, message: `${flag} cannot be used on the ${role}` };
    }
  }
}

function wordsOf(spec: Test["spec"], role: Role): { word: string; place: string }[] {
  const { command, extraArgs = [] } = spec[role];
  return [
    ...splitSeed(command).map((word) => ({ word, place: `spec.${role}.command` })),
    ...extraArgs.map((word, index) => ({ word, place: `spec.${role}.extraArgs[${index}]` })),
  ];
}

function isFlag(word: string, flag: string): boolean {
  return word === flag || word.startsWith(`${flag}=`);
}
