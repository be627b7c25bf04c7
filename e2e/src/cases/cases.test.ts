import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { RealCluster } from "@homeostat/kube";
import { reasonToSkipAuth, startOwnCluster } from "../auth/own-cluster.ts";
import { startEmbedded, type Embedded } from "../harness/embedded.ts";
import { allCases } from "./all.ts";
import type { Case } from "./case.ts";
import { differencesMax, knownDifferences } from "./known-differences.ts";
import { Subject, type Told } from "./subject.ts";

const skip = await reasonToSkipAuth();

describe("the same requests to both servers", { skip }, () => {
  let cluster: RealCluster;
  let embedded: Embedded;
  let subjects: readonly Subject[];
  let count = 0;

  before(async () => {
    [cluster, embedded] = await Promise.all([startOwnCluster(), startEmbedded()]);
    const { server, ca = "", cert = "", key = "" } = cluster;
    subjects = [new Subject({ server, ca, cert, key }), new Subject(embedded.access)];
  });

  after(async () => {
    for (const subject of subjects) subject.close();
    await Promise.all([cluster.stop(), embedded.stop()]);
  });

  for (const [group, cases] of allCases) {
    describe(group, () => {
      for (const each of cases) {
        const why = knownDifferences.get(`${group}: ${each.name}`);
        it(why === undefined ? each.name : `${each.name} (still different: ${why})`, async () => {
          const namespace = `case-${(count += 1)}`;

          const [real, ours] = await Promise.all(subjects.map((subject) => runIn(subject, each, namespace)));

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
