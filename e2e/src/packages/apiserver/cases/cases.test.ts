import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { reasonToSkipOwnCluster } from "../../../harness/own-cluster.ts";
import { type BothServers, bothServers } from "../../../harness/both-servers.ts";
import { allCases } from "./all.ts";
import type { Case } from "./case.ts";
import { differencesMax, knownDifferences } from "./known-differences.ts";
import { Subject, type ComparedResponse } from "./subject.ts";

const triesMax = 3;
const skip = await reasonToSkipOwnCluster();

describe("the same requests to both servers", { skip }, () => {
  let servers: BothServers;
  let subjects: readonly Subject[];
  let count = 0;

  before(async () => {
    servers = await bothServers();
    subjects = [new Subject(servers.real), new Subject(servers.embedded)];
  });

  after(async () => {
    for (const subject of subjects) subject.close();
    await servers[Symbol.asyncDispose]();
  });

  async function runInBoth(each: Case): Promise<ComparedResponse[][]> {
    const namespace = `case-${(count += 1)}`;
    return Promise.all(subjects.map((subject) => runIn(subject, each, namespace)));
  }

  for (const [group, cases] of allCases) {
    describe(group, () => {
      for (const each of cases) {
        const why = knownDifferences.get(`${group}: ${each.name}`);
        it(why === undefined ? each.name : `${each.name} (known difference: ${why})`, async () => {
          // The real server renews its own leases every few seconds, so the resourceVersion of a list may belong to no object of the case.
          let [real, ours] = await runInBoth(each);
          const most = why === undefined ? triesMax : 1;
          for (let tries = 1; tries < most && !isDeepStrictEqual(ours, real); tries += 1)
            [real, ours] = await runInBoth(each);

          if (why === undefined) assert.deepEqual(ours, real);
          else
            assert.notDeepEqual(
              ours,
              real,
              "the responses are equal now: remove the case from the list of known differences",
            );
        });
      }
    });
  }

  it("differ only in the known cases", (context) => {
    const names = new Set([...allCases].flatMap(([group, cases]) => cases.map(({ name }) => `${group}: ${name}`)));
    const gone = [...knownDifferences.keys()].filter((name) => !names.has(name));

    context.diagnostic(`${names.size} cases, ${knownDifferences.size} known differences`);
    assert.deepEqual(gone, []);
    assert.ok(names.size >= 400);
    assert.equal(knownDifferences.size, differencesMax, "the number may only fall: lower differencesMax");
  });
});

/** Runs a case in its own namespace. */
async function runIn(subject: Subject, each: Case, namespace: string): Promise<ComparedResponse[]> {
  return subject.run(each, namespace, await subject.begin(namespace));
}
