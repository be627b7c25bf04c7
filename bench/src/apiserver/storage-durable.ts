// Measures acknowledged writes per second when each write is on disk first:
//
//   npm run build && node bench/dist/apiserver/storage-durable.js [folder]
//
// The result depends on the folder: a disk has to be waited for, tmpfs does not.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeFiles, openStore } from "@homeostat/apiserver/internal";
import { systemClock, systemRandom } from "@homeostat/core";
import { decode, keyOf, type Resource, resource } from "./storage-sample.ts";

const folder = mkdtempSync(join(process.argv[2] ?? tmpdir(), "homeostat-durable-"));
const seconds = 2;

try {
  for (const fsync of [true, false]) {
    for (const writers of [1, 10, 100]) {
      const path = join(folder, `${String(fsync)}-${writers}`);
      const opened = await openStore<Resource>({
        files: nodeFiles(path),
        clock: systemClock,
        random: systemRandom,
        decode,
        fsync,
      });
      const { store } = opened;
      const end = systemClock.monotonic() + seconds * 1000;
      let next = 0;
      const work = async (): Promise<void> => {
        while (systemClock.monotonic() < end) {
          next += 1;
          store.create(keyOf(next), resource(next));
          await store.persisted();
        }
      };
      await Promise.all(Array.from({ length: writers }, work));
      console.log(`fsync ${fsync ? "on " : "off"}, ${writers} at a time: ${Math.round(next / seconds)} creates/s`);
      await opened[Symbol.asyncDispose]();
      const start = systemClock.monotonic();
      const again = await openStore<Resource>({
        files: nodeFiles(path),
        clock: systemClock,
        random: systemRandom,
        decode,
      });
      const tookMs = systemClock.monotonic() - start;
      console.log(`  ${again.store.size} objects loaded in ${tookMs.toFixed(0)} ms`);
      await again[Symbol.asyncDispose]();
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
