// The API server and our own rules get the same definitions, and must give the same answers.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isRecord, type JsonRecord } from "@homeostat/core";
import type { RealCluster } from "@homeostat/kube";
import { type Answer, Api } from "../harness/api.ts";
import { reasonToSkip, startCluster } from "../harness/cluster.ts";
import { comparable, plainWarnings } from "./comparable.ts";
import { definition, definitionCases, group, version } from "./definitions.ts";
import { changed, created, type Verdict } from "./ours.ts";

const skip = (await reasonToSkip({ need: "apiserver" })) ?? false;
const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

describe("definitions beside a real server", { skip }, () => {
  let cluster: RealCluster;
  let api: Api;

  before(async () => {
    cluster = await startCluster({ need: "apiserver" });
    api = new Api(cluster);
  });

  after(async () => {
    api.close();
    await cluster.stop();
  });

  it(`are stored or refused with the same answer (${definitionCases.length} of them)`, async () => {
    const differences: string[] = [];

    for (const { name, body } of definitionCases) {
      const theirs = await api.send("POST", `${path}?dryRun=All`, body);
      note(differences, name, created(body), theirs);
    }

    assert.equal(differences.length, 0, differences.slice(0, 5).join("\n\n"));
  });

  it("are changed or refused with the same answer", async () => {
    const differences: string[] = [];
    const old = await established(api);

    for (const { name, body } of definitionCases) {
      const next = { ...body, metadata: { ...recordAt(body, "metadata"), ...kept(old) } };
      const theirs = await api.send("PUT", `${path}/things.${group}?dryRun=All`, next);
      // What is no update of this object is refused before anybody looks at it.
      if (theirs.status === 400) continue;
      note(differences, name, changed(next, old), theirs);
    }

    assert.equal(differences.length, 0, differences.slice(0, 5).join("\n\n"));
  });
});

function note(differences: string[], name: string, { stored, refusal, warnings }: Verdict, theirs: Answer): void {
  const ours = { body: comparable(stored ?? refusal), warnings: [...new Set(warnings)].toSorted() };
  const real = { body: comparable(theirs.body), warnings: plainWarnings(theirs.warnings) };
  const [a, b] = [JSON.stringify(ours), JSON.stringify(real)];
  if (a !== b) differences.push(`${name}\n  ours: ${a}\n  real: ${b}`);
}

/** Creates the plain definition with two versions and waits until it is served. */
async function established(api: Api): Promise<JsonRecord> {
  const body = definition({ versions: [version("v1"), version("v2")] });
  const answer = await api.send("POST", path, body);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  for (let tries = 0; tries < 100; tries += 1) {
    const { body: found } = await api.send("GET", `${path}/things.${group}`);
    const conditions = recordAt(found, "status")["conditions"];
    const isReady =
      Array.isArray(conditions) &&
      conditions.some((each: unknown) => isRecord(each) && each["type"] === "Established" && each["status"] === "True");
    if (isReady && isRecord(found)) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("the definition was not established within 5 s");
}

function kept(old: JsonRecord): JsonRecord {
  const { uid, resourceVersion, creationTimestamp, generation } = recordAt(old, "metadata");
  return { uid, resourceVersion, creationTimestamp, generation };
}

function recordAt(value: unknown, name: string): JsonRecord {
  const found = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return isRecord(found) ? found : {};
}
