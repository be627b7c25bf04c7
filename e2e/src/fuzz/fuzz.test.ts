// Random requests to both servers. HOMEOSTAT_FUZZ_OPERATIONS says how many; HOMEOSTAT_SEED which.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { SeededRandom } from "@homeostat/core";
import { reasonToSkipAuth } from "../auth/own-cluster.ts";
import { post, until } from "../cases/case.ts";
import { Subject } from "../cases/subject.ts";
import { type BothServers, bothServers } from "../harness/both-servers.ts";
import { Comparison, told } from "./compare.ts";
import { builtIns, customKind } from "./kinds.ts";
import { randomSequence } from "./sequences.ts";

const skip = await reasonToSkipAuth();
const seed = process.env["HOMEOSTAT_SEED"] ?? "1";
const operations = Number(process.env["HOMEOSTAT_FUZZ_OPERATIONS"] ?? 3_000);
const sequenceLength = 14;
const customKinds = 12;
const atOnce = 4;
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

describe("random requests to both servers", { skip }, () => {
  let servers: BothServers;
  let subjects: readonly [Subject, Subject];

  before(async () => {
    servers = await bothServers();
    const isBusy = true;
    subjects = [new Subject(servers.real, { isBusy }), new Subject(servers.embedded, { isBusy })];
  });

  after(async () => {
    for (const subject of subjects) subject.close();
    await servers[Symbol.asyncDispose]();
  });

  it(`are answered alike, ${operations} of them`, async (context) => {
    const random = new SeededRandom(`fuzz/${seed}`);
    const custom = Array.from({ length: customKinds }, (_, number) => customKind(random, number));
    for (const { definition, served } of custom) {
      for (const subject of subjects)
        await subject.run({ steps: [post(definitions, definition), until(served)] }, "default");
    }
    const kinds = [...builtIns, ...builtIns, ...custom];
    const comparison = new Comparison(...subjects);
    const sequences = Math.ceil(operations / sequenceLength);
    const found: string[] = [];
    let begun = 0;

    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (begun < sequences && found.length < 3) {
          const number = (begun += 1);
          const chance = new SeededRandom(`${seed}/${number}`);
          const kind = kinds[chance.int(kinds.length)] ?? builtIns[0];
          if (kind === undefined) throw new Error("there are no kinds");
          const parting = await comparison.run(randomSequence(kind, chance, sequenceLength));
          if (parting !== undefined) found.push(`sequence ${number}: ${told(await comparison.shrink(parting))}`);
        }
      }),
    );

    context.diagnostic(`${begun} sequences of ${sequenceLength} requests, seed ${seed}`);
    assert.deepEqual(found, []);
  });
});
