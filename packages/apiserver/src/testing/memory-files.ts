import { DataDiskFullError, DataInUseError } from "../storage/errors.ts";
import type { Files, OpenFile } from "../storage/files.ts";

interface Content {
  bytes: Uint8Array;
  /** Number of bytes that survive a power loss. */
  synced: number;
}

/**
 * A directory in memory that simulates a power loss.
 *
 * Any subset of the changes to names since the last directory sync may survive, and any prefix of the bytes that were
 * not synced.
 */
export class MemoryFiles implements Files {
  readonly folder: string = "memory";
  readonly #now: Map<string, Content>;
  #safe: Map<string, Content>;
  /**
   * Changes to names since the last directory sync. Each may survive a power loss or not, independently of the earlier
   * ones.
   */
  #pending: ((names: Map<string, Content>) => void)[] = [];
  #isLocked = false;
  /** Number of bytes that can be written before the disk is full. */
  bytesLeft: number = Infinity;
  /** Counts sync calls. */
  syncs = 0;
  /** Called before each operation that changes something. Throws to make the operation fail. */
  before: (
    operation: "open" | "append" | "sync" | "truncate" | "rename" | "remove",
    name: string,
  ) => Promise<void> | void = () => undefined;

  constructor(contents: ReadonlyMap<string, Uint8Array> = new Map()) {
    this.#now = new Map([...contents].map(([name, bytes]) => [name, { bytes, synced: bytes.length }]));
    this.#safe = new Map(this.#now);
  }

  /** Current content by file name. */
  contents(): Map<string, Uint8Array> {
    return new Map([...this.#now].map(([name, { bytes }]) => [name, bytes]));
  }

  /**
   * Returns the directory after a power loss. `keep` returns how many of the given number of unsynced bytes or steps
   * survive.
   */
  afterPowerLoss(keep: (unsynced: number) => number): MemoryFiles {
    const names = new Map(this.#safe);
    for (const step of this.#pending) if (keep(2) === 1) step(names);
    return new MemoryFiles(
      new Map(
        [...names].map(([name, { bytes, synced }]) => [name, bytes.slice(0, synced + keep(bytes.length - synced + 1))]),
      ),
    );
  }

  #do(step: (names: Map<string, Content>) => void): void {
    step(this.#now);
    this.#pending.push(step);
  }

  async lock(): Promise<AsyncDisposable> {
    if (this.#isLocked) throw new DataInUseError(this.folder, "another test");
    this.#isLocked = true;
    return {
      [Symbol.asyncDispose]: async () => {
        this.#isLocked = false;
      },
    };
  }

  async names(): Promise<readonly string[]> {
    return [...this.#now.keys()];
  }

  async read(name: string): Promise<Uint8Array> {
    return this.#content(name).bytes;
  }

  async open(name: string): Promise<OpenFile> {
    await this.before("open", name);
    const content = this.#now.get(name) ?? { bytes: new Uint8Array(), synced: 0 };
    if (!this.#now.has(name)) this.#do((names) => names.set(name, content));
    return {
      append: async (bytes) => {
        await this.before("append", name);
        const fitting = bytes.subarray(0, Math.min(bytes.length, this.bytesLeft));
        this.bytesLeft -= fitting.length;
        const bytesBefore = content.bytes;
        content.bytes = new Uint8Array(bytesBefore.length + fitting.length);
        content.bytes.set(bytesBefore);
        content.bytes.set(fitting, bytesBefore.length);
        if (fitting.length < bytes.length) throw new DataDiskFullError(`Writing ${name}`);
      },
      sync: async () => {
        await this.before("sync", name);
        this.syncs += 1;
        content.synced = content.bytes.length;
      },
      size: async () => content.bytes.length,
      truncate: async (length) => {
        await this.before("truncate", name);
        content.bytes = content.bytes.slice(0, length);
        content.synced = Math.min(content.synced, length);
      },
      close: async () => undefined,
    };
  }

  async rename(from: string, to: string): Promise<void> {
    await this.before("rename", from);
    const content = this.#content(from);
    this.#do((names) => {
      names.set(to, content);
      names.delete(from);
    });
  }

  async remove(name: string): Promise<void> {
    await this.before("remove", name);
    this.#do((names) => names.delete(name));
  }

  async sync(): Promise<void> {
    await this.before("sync", "");
    this.#safe = new Map(this.#now);
    this.#pending = [];
  }

  #content(name: string): Content {
    const content = this.#now.get(name);
    if (content === undefined) throw new Error(`no file ${name}`);
    return content;
  }
}
