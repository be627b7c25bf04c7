// Custom resources: the same writes and responses on a real server and on ours.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { reasonToSkip } from "../../../harness/cluster.ts";
import { differences } from "./compare.ts";
import { objectCases, preparation } from "./objects.ts";
import { type Servers, startServers } from "./servers.ts";

const skip = (await reasonToSkip({ need: "apiserver" })) ?? false;

describe("custom resources, compared with a real server", { skip }, () => {
  let servers: Servers;

  before(async () => {
    servers = await startServers();
    assert.deepEqual(await differences(servers, preparation), []);
  });

  after(() => servers.close());

  for (const each of objectCases) {
    it(each.name, async () => {
      const found = await differences(servers, each);

      assert.equal(
        found.length,
        0,
        `${found.length} of ${each.steps.length} differ\n${found.slice(0, 4).join("\n\n")}`,
      );
    });
  }
});
