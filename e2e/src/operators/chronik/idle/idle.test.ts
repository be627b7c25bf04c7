// Chronik clusters at rest on the embedded cluster, in virtual time; with --full 200 of them.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { repository } from "@homeostat/operator-testing/repository";
import { volume } from "../../../harness/volume.ts";

const run = promisify(execFile);
const clusters = volume({ sample: 20, full: 200 });

it(`${clusters} Chronik clusters at rest are reconciled once per minute, and cause no write for ten minutes`, async () => {
  const program = fileURLToPath(new URL("operators/chronik/dist/testing/idle-clusters.js", repository));

  const { stdout } = await run(process.execPath, ["--conditions=development", program, String(clusters)]);

  assert.match(stdout, new RegExp(`^${clusters} clusters: \\d+ reconciles and no write in 10 minutes\n$`));
});
