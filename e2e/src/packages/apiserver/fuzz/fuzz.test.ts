// Random requests to both servers. HOMEOSTAT_FUZZ_OPERATIONS sets their number, HOMEOSTAT_SEED the seed; the default seed is
// fixed.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { reasonToSkipOwnCluster } from "../../../harness/own-cluster.ts";
import { Subject } from "../cases/subject.ts";
import { type BothServers, bothServers } from "../../../harness/both-servers.ts";
import { volume } from "../../../harness/volume.ts";
import { fuzzRound } from "./round.ts";

const skip = await reasonToSkipOwnCluster();
const seed = process.env["HOMEOSTAT_SEED"] ?? "1";
const operations = volume({ sample: 4_000, full: 20_000 }, "HOMEOSTAT_FUZZ_OPERATIONS");
const operationsOfRound = 5_000;
/** Servers are replaced by fresh ones before the namespaces of earlier sequences slow them down: no controller deletes them. */
const roundsOfServer = 10;
const rounds = Array.from({ length: Math.ceil(operations / operationsOfRound) }, (_, index) => ({
  name: `r${index + 1}`,
  seed: `${seed}.${index + 1}`,
  operations: Math.min(operationsOfRound, operations - index * operationsOfRound),
}));

for (let from = 0; from < rounds.length; from += roundsOfServer) {
  const last = Math.min(from + roundsOfServer, rounds.length);
  describe(`random requests to both servers, rounds ${from + 1} to ${last}`, { skip }, () => {
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

    for (const round of rounds.slice(from, last)) {
      it(`get the same responses (${round.operations} of them, seed ${round.seed})`, async (context) => {
        const { sequences, found } = await fuzzRound(subjects, round);

        context.diagnostic(`${sequences} sequences of requests`);
        assert.deepEqual(found, []);
      });
    }
  });
}
