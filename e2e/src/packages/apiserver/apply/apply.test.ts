// Server-side apply and managed fields: the real server is the truth.
//
// HOMEOSTAT_APPLY_SECONDS gives each part that many seconds, HOMEOSTAT_APPLY_SEED another course of things, and with
// HOMEOSTAT_APPLY_REPORT the number of compared writes is told.

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

describe("server-side apply beside the real server", { skip }, () => {
  it("gives the same objects, managed fields and refusals for random custom resources", () =>
    compareCustomResources(client));

  for (const kind of builtIns) {
    it(`gives the same managers for a ${kind.kind}`, () => compareBuiltIn(client, kind));
  }

  it("moves the number of replicas between managers in the same way", () => compareScale(client));

  it("follows a schema that changed in the same way", () => compareSchemaChange(client));
});
