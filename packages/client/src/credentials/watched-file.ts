import type { Clock } from "@homeostat/core";
import { CredentialsError } from "./errors.ts";
import type { FileReader } from "./files.ts";

/** How long a file that may rotate is believed without another look. The kubelet writes a new token long before the old one ends. */
const believedMs = 10_000;

/**
 * The text of a file that somebody else replaces from time to time: a token, a certificate, an authority.
 *
 * Once it was read, a failed look keeps the old text: a rotation in progress must not stop a controller whose
 * credentials are still good.
 */
export class WatchedFile {
  readonly #path: string;
  readonly #files: FileReader;
  readonly #clock: Clock;
  #text: string | undefined;
  #lookedAt = -Infinity;

  constructor(path: string, { files, clock }: { files: FileReader; clock: Clock }) {
    this.#path = path;
    this.#files = files;
    this.#clock = clock;
  }

  /** The text, at most ten seconds old. */
  async text(): Promise<string> {
    const known = this.known();
    if (known !== undefined) return known;
    this.#lookedAt = this.#clock.monotonic();
    try {
      this.#text = await this.#files.read(this.#path);
    } catch (cause) {
      if (this.#text === undefined)
        throw new CredentialsError(`${this.#path} cannot be read. Check the path and its rights.`, { cause });
    }
    return this.#text;
  }

  /** The text, if it was looked at lately. */
  known(): string | undefined {
    return this.#clock.monotonic() - this.#lookedAt < believedMs ? this.#text : undefined;
  }

  /** Makes the next call of `text` look at the file again. */
  forget(): void {
    this.#lookedAt = -Infinity;
  }
}
