import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { isList, isRecord } from "@homeostat/core";
import type { RouteState, TableStore } from "./table-store.ts";

/** Form of the file; a proxy ignores files of another form. */
const format = 1;

/**
 * Keeps the last tables in a file, so that a proxy that restarts while no route server can be reached still routes. The file is
 * replaced by a rename: after a crash it has the old or the new content, never half of one.
 */
export class SnapshotFile {
  readonly #path: string;
  #isWriting = false;
  #next: RouteState | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Writes a state, or the latest one if several arrive during a write. */
  async write(state: RouteState): Promise<void> {
    this.#next = state;
    if (this.#isWriting) return;
    this.#isWriting = true;
    try {
      while (this.#next !== undefined) {
        const { settings, tables } = this.#next;
        this.#next = undefined;
        const text = JSON.stringify({ format, settings, tables: [...tables.values()].map(({ table }) => table) });
        await mkdir(dirname(this.#path), { recursive: true });
        await writeFile(`${this.#path}.new`, text, { mode: 0o600 });
        await rename(`${this.#path}.new`, this.#path);
      }
    } finally {
      this.#isWriting = false;
    }
  }

  /** Restores the tables of the file. Returns false if there is no file that can be used. */
  async restore(store: TableStore): Promise<boolean> {
    const value = await this.#read();
    if (!isRecord(value) || value["format"] !== format || !isList(value["tables"])) return false;
    store.restore(value["tables"], value["settings"]);
    return true;
  }

  async #read(): Promise<unknown> {
    try {
      return JSON.parse(await readFile(this.#path, "utf8"));
    } catch {
      // Missing on the first start; a damaged file is worth no more than a missing one.
      return undefined;
    }
  }
}
