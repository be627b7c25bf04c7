// Compares server-side apply and managed fields with the real server.
//
// HOMEOSTAT_APPLY_SECONDS sets the seconds of each part, HOMEOSTAT_APPLY_SEED the random seed; HOMEOSTAT_APPLY_REPORT prints the
// number of compared writes.

import { after, before, describe, it } from "node:test";
import { reasonToSkip, shareCluster } from "../../../harness/cluster.ts";
import { compareBuiltIn } from "./built-in.ts";
import { builtIns } from "./built-in-kinds.ts";
import { Client } from "./client.ts";
import { counted } from "./compare.ts";
import { compareCustomResources } from "./custom-resources.ts";
import { compareScale } from "./scale.ts";
import { compareSchemaChange } from "./schema-change.ts";

const skip = (await reasonToSkip({ need: "apiserver" })) ?? false;
let cluster: Awaited<ReturnType<typeof shareCluster>>;
let client: Client;

before(async () => {
  if (skip !== false) return;
  cluster = await shareCluster();
  client = new Client(cluster);
});
after(async () => {
  if (skip !== false) return;
  client.close();
  await cluster.stop();
  if (process.env["HOMEOSTAT_APPLY_REPORT"] !== undefined) process.stderr.write(`${JSON.stringify(counted)}\n`);
});

describe("server-side apply, compared with the real server", { skip }, () => {
  it("results in the same objects, managed fields and errors for random custom resources", () =>
    compareCustomResources(client));

  for (const kind of builtIns) {
    it(`results in the same managers for a ${kind.kind}`, () => compareBuiltIn(client, kind));
  }

  it("transfers the ownership of replicas between managers in the same way", () => compareScale(client));

  it("handles a changed schema in the same way", () => compareSchemaChange(client));
});
