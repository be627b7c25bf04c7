// A process that writes to a data directory until a write fails; disk-failure.test.ts starts it with the directory and
// a file size limit.

import assert from "node:assert/strict";
import { writeSync } from "node:fs";
import { HomeostatError, SeededRandom, systemClock } from "@homeostat/core";
import { nodeFiles } from "../storage/node-files.ts";
import { openStore } from "../storage/open-store.ts";
import { contentsAt, contentsOf, decodeText, writeNext } from "./store-workload.ts";

/** More writes than fit into the file size limit. */
const writesMax = 10_000;

async function run(folder: string): Promise<void> {
  const files = nodeFiles(folder);
  const random = new SeededRandom("limited");
  await using opened = await openStore<string>({ files, clock: systemClock, random, decode: decodeText });
  const { store } = opened;
  let acknowledged = store.revision;
  try {
    for (let n = 0; n < writesMax; n += 1) {
      const revision = writeNext(store);
      await store.persisted();
      acknowledged = revision;
    }
  } catch (error) {
    if (!(error instanceof HomeostatError)) throw error;
    writeSync(1, `${acknowledged}\n${error.code}\n`);
    assert.deepEqual(contentsOf(store), contentsAt(acknowledged));
    writeSync(1, "reads match\n");
  }
}

const [, , folder] = process.argv;
if (folder !== undefined) {
  await run(folder).catch((error: unknown) => {
    if (!(error instanceof HomeostatError)) throw error;
    writeSync(1, `${error.code}\n`);
  });
}
