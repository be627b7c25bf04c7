import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@homeostat/core";
import { dashboardSecretFiles } from "@homeostat/operator";
import type { AccessSecrets } from "./access/secrets.ts";

/** Options of {@link SecretFiles}. */
export interface SecretFilesOptions {
  /** Folder of the files: a mounted Secret, of which all keys are optional. */
  readonly folder: string;
  readonly clock: Clock;
  readonly randomBytes: (count: number) => Buffer;
  /** Interval at which the files are read, in milliseconds. */
  readonly pollMs: number;
  /** Called once with each problem of a file that cannot be read or is too short. The value before stays in use. */
  readonly onProblem: (file: string, problem: Error) => void;
}

/** Shortest content of a file, in bytes. */
const bytesMin = 16;

/**
 * Follows the files with the secrets of the dashboard, so that they can be replaced while it runs. A new session key ends all logins.
 *
 * They are polled, not watched: the kubelet updates a mounted Secret by switching a symbolic link two directories up.
 */
export class SecretFiles implements AccessSecrets {
  readonly #options: SecretFilesOptions;
  /** Used without a session key: logins end with the process. */
  readonly #ownKey: Buffer;
  readonly #contents = new Map<string, Buffer>();
  /** Messages of the last problems, by file. */
  readonly #problems = new Map<string, string>();

  constructor(options: SecretFilesOptions) {
    this.#options = options;
    this.#ownKey = options.randomBytes(32);
  }

  readonly proxySecret = (): string | undefined => this.#contents.get(dashboardSecretFiles.proxy)?.toString("utf8");
  readonly sessionKey = (): Buffer => this.#contents.get(dashboardSecretFiles.session) ?? this.#ownKey;

  /** Reads the files once. Never rejects. */
  async sync(): Promise<void> {
    for (const name of [dashboardSecretFiles.proxy, dashboardSecretFiles.session]) {
      const file = join(this.#options.folder, name);
      const problem = await this.#read(name, file).catch(asError);
      if (problem !== undefined && problem.message !== this.#problems.get(name)) this.#options.onProblem(file, problem);
      this.#problems.set(name, problem?.message ?? "");
    }
  }

  /** Reads a file. Returns its problem; undefined if there is none. */
  async #read(name: string, file: string): Promise<Error | undefined> {
    const content = await readOptional(file);
    if (content === undefined) this.#contents.delete(name);
    else if (content.length >= bytesMin) this.#contents.set(name, content);
    else return new RangeError(`The file has ${content.length} bytes, and at least ${bytesMin} are required.`);
    return undefined;
  }

  /** Reads the files repeatedly until the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, pollMs } = this.#options;
    while (!signal.aborted) {
      await clock.sleep(pollMs, signal).catch(() => undefined);
      if (!signal.aborted) await this.sync();
    }
  }
}

/** Reads a file without the white space at its end, which editors and shells add; undefined if it does not exist. */
async function readOptional(file: string): Promise<Buffer | undefined> {
  try {
    const content = await readFile(file, "latin1");
    return Buffer.from(content.trimEnd(), "latin1");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
