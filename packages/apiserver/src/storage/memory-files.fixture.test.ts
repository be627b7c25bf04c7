import { DataDiskFullError, DataInUseError } from "./errors.ts";
import type { Files, OpenFile } from "./files.ts";

interface Content {
  bytes: Uint8Array;
  /** So much of it is safe when the power goes. */
  synced: number;
}

/**
 * A folder in memory that forgets what was not synced when the power goes.
 *
 * Of what was done to names since the last sync of the folder, any steps may be there; of bytes that were not synced, any part.
 */
export class MemoryFiles implements Files {
  readonly folder: string = "memory";
  readonly #now: Map<string, Content>;
  #safe: Map<string, Content>;
  /** What was done to names since they were last synced. Each of it may be on the disk, or not, whatever came before. */
  #pending: ((names: Map<string, Content>) => void)[] = [];
  #isLocked = false;
  /** How many bytes can be written before the disk is full. */
  bytesLeft: number = Infinity;
  /** Counts calls that reach the disk. */
  syncs = 0;
  /** Called before each operation that changes something; throw to have it fail. */
  before: (
    operation: "open" | "append" | "sync" | "truncate" | "rename" | "remove",
    name: string,
  ) => Promise<void> | void = () => undefined;

  constructor(contents: ReadonlyMap<string, Uint8Array> = new Map()) {
    this.#now = new Map([...contents].map(([name, bytes]) => [name, { bytes, synced: bytes.length }]));
    this.#safe = new Map(this.#now);
  }

  /** What is there now, by name. */
  contents(): Map<string, Uint8Array> {
    return new Map([...this.#now].map(([name, { bytes }]) => [name, bytes]));
  }

  /** The folder after a loss of power; `keep` says how much is there of so many bytes, or steps, that were not synced. */
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
