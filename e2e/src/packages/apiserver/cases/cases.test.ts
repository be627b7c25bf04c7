import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { reasonToSkipAuth } from "../../../harness/own-cluster.ts";
import { type BothServers, bothServers } from "../../../harness/both-servers.ts";
import { allCases } from "./all.ts";
import type { Case } from "./case.ts";
import { differencesMax, knownDifferences } from "./known-differences.ts";
import { Subject, type Told } from "./subject.ts";

const triesMax = 3;
const skip = await reasonToSkipAuth();

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

  async function runInBoth(each: Case): Promise<Told[][]> {
    const namespace = `case-${(count += 1)}`;
    return Promise.all(subjects.map((subject) => runIn(subject, each, namespace)));
  }

  for (const [group, cases] of allCases) {
    describe(group, () => {
      for (const each of cases) {
        const why = knownDifferences.get(`${group}: ${each.name}`);
        it(why === undefined ? each.name : `${each.name} (still different: ${why})`, async () => {
          // The real server writes leases of its own every few seconds: a list between may tell a version that is no object's.
          let [real, ours] = await runInBoth(each);
          const most = why === undefined ? triesMax : 1;
          for (let tries = 1; tries < most && !isDeepStrictEqual(ours, real); tries += 1)
            [real, ours] = await runInBoth(each);

          if (why === undefined) assert.deepEqual(ours, real);
          else assert.notDeepEqual(ours, real, "is the same now: take it off the list of known differences");
        });
      }
    });
  }

  it("differ in no more than they did", (context) => {
    const names = new Set([...allCases].flatMap(([group, cases]) => cases.map(({ name }) => `${group}: ${name}`)));
    const gone = [...knownDifferences.keys()].filter((name) => !names.has(name));

    context.diagnostic(`${names.size} cases, ${knownDifferences.size} known differences`);
    assert.deepEqual(gone, []);
    assert.ok(names.size >= 400);
    assert.equal(knownDifferences.size, differencesMax, "the number may only fall: write down the new one");
  });
});

/** Runs a case in a namespace of its own. */
async function runIn(subject: Subject, each: Case, namespace: string): Promise<Told[]> {
  return subject.run(each, namespace, await subject.begin(namespace));
}
