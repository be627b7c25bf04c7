// Sends the same CRDs to both servers and compares the responses.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isRecord, type JsonRecord } from "@homeostat/core";
import { type Case, get, patch, post, until } from "../cases/case.ts";
import { reasonToSkip } from "../../../harness/cluster.ts";
import { differences } from "./compare.ts";
import { definition, definitionCases, group, version } from "./definitions.ts";
import { type Servers, startServers } from "./servers.ts";

const skip = (await reasonToSkip({ need: "apiserver" })) ?? false;
const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

describe("CRDs, compared with a real server", { skip }, () => {
  let servers: Servers;

  before(async () => {
    servers = await startServers();
  });

  after(() => servers.close());

  const run = async (cases: readonly Case[]): Promise<void> => {
    const found: string[] = [];
    for (const each of cases) found.push(...(await differences(servers, each)));
    assert.equal(found.length, 0, `${found.length} differ\n${found.slice(0, 5).join("\n\n")}`);
  };

  it(`are stored or rejected with the same response (${definitionCases.length} of them)`, async () => {
    await run(definitionCases.map(({ name, body }) => ({ name, steps: [post(`${path}?dryRun=All`, body)] })));
  });

  it("are updated or rejected with the same response", async () => {
    const both = definition({ versions: [version("v1"), version("v2")] });
    const create = [post(path, both), until(`/apis/${group}/v2/things`), get(`${path}/things.${group}`)];
    await run([{ name: "create", steps: create }]);

    await run(
      definitionCases.map(({ name, body }) => ({
        name,
        // The resourceVersion differs between servers, so the CRD is patched.
        steps: [
          patch("json", `${path}/things.${group}?dryRun=All`, [
            { op: "add", path: "/spec", value: body["spec"] ?? {} },
            ...["labels", "annotations"].map((name) => ({
              op: "add",
              path: `/metadata/${name}`,
              value: metadataOf(body)[name] ?? {},
            })),
          ]),
        ],
      })),
    );
  });
});

function metadataOf({ metadata }: JsonRecord): JsonRecord {
  return isRecord(metadata) ? metadata : {};
}
