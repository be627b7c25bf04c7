import { SeededRandom } from "@homeostat/core";
import { post, until } from "../cases/case.ts";
import type { Subject } from "../cases/subject.ts";
import { Comparison, describeDifference } from "./compare.ts";
import { builtIns, customKind } from "./kinds.ts";
import { randomSequence } from "./sequences.ts";

const sequenceLength = 14;
const customKinds = 8;
const atOnce = 4;
/** A round ends after this number of differences: one cause often shows in many places. */
const foundMax = 3;
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Options of a round. Its name is part of the names of its namespaces and kinds. */
export interface RoundOptions {
  readonly seed: string;
  readonly name: string;
  readonly operations: number;
}

/** Result of a round. */
export interface Round {
  readonly sequences: number;
  /** Descriptions of the differences, each with the shortest sequence that shows it. */
  readonly found: readonly string[];
}

/** Sends random requests about custom and built-in kinds to both servers. */
export async function fuzzRound(
  subjects: readonly [Subject, Subject],
  { seed, name, operations }: RoundOptions,
): Promise<Round> {
  const random = new SeededRandom(`fuzz/${seed}`);
  const custom = Array.from({ length: customKinds }, (_, number) => customKind(random, name, number));
  const steps = [
    ...custom.map(({ definition }) => post(definitions, definition)),
    ...custom.map(({ served }) => until(served)),
  ];
  await Promise.all(subjects.map((subject) => subject.run({ steps }, "default")));
  const kinds = [...builtIns, ...builtIns, ...custom];
  const comparison = new Comparison(...subjects, name);
  const sequences = Math.ceil(operations / sequenceLength);
  const found: string[] = [];
  let begun = 0;
  const work = async (): Promise<void> => {
    while (begun < sequences && found.length < foundMax) {
      const number = (begun += 1);
      const chance = new SeededRandom(`${seed}/${number}`);
      const kind = kinds[chance.int(kinds.length)] ?? builtIns[0];
      if (kind === undefined) throw new Error("there are no kinds");
      const difference = await comparison.run(randomSequence(kind, chance, sequenceLength));
      if (difference === undefined) continue;
      found.push(`seed ${seed}, sequence ${number}: ${describeDifference(await comparison.shrink(difference))}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { sequences: begun, found };
}
