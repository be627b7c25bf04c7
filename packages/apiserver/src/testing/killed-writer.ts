// A process that writes to a data directory until it is killed; kill.test.ts starts it with the directory and a seed.

import { writeSync } from "node:fs";
import { SeededRandom, systemClock } from "@homeostat/core";
import { nodeFiles } from "../storage/node-files.ts";
import { openStore } from "../storage/open-store.ts";
import { decodeText, writeNext } from "./store-workload.ts";

async function run(folder: string, seed: string): Promise<void> {
  const random = new SeededRandom(seed);
  const { store } = await openStore<string>({
    files: nodeFiles(folder),
    clock: systemClock,
    random,
    decode: decodeText,
    logBytesMax: 4000,
  });
  for (;;) {
    for (let burst = 1 + random.int(5); burst > 0; burst -= 1) writeNext(store);
    const { revision } = store;
    await store.persisted();
    writeSync(1, `${revision}\n`);
  }
}

const [, , folder, seed] = process.argv;
if (folder !== undefined && seed !== undefined) await run(folder, seed);
