import type { Clock } from "@homeostat/core";
import { CredentialsError } from "./errors.ts";
import type { FileReader } from "./files.ts";

/** The time for which the text of a file is cached. The kubelet replaces a token long before the old one expires. */
const cacheMs = 10_000;

/**
 * The text of a file that is rotated externally: a token, a certificate, a CA.
 *
 * The file is read again by age instead of being watched. The kubelet replaces a mounted Secret or token by swapping a symbolic link to
 * a directory, which a watch of the file itself does not report; reading a small file every ten seconds cannot miss it.
 * A bound service account token is replaced after 80 % of its lifetime, so ten seconds of delay never make it expire in use.
 *
 * After the first read, a failed read keeps the previous text: a rotation in progress must not stop a controller whose
 * credentials are still valid.
 */
export class WatchedFile {
  readonly #path: string;
  readonly #files: FileReader;
  readonly #clock: Clock;
  #text: string | undefined;
  #readAt = -Infinity;

  constructor(path: string, { files, clock }: { files: FileReader; clock: Clock }) {
    this.#path = path;
    this.#files = files;
    this.#clock = clock;
  }

  /** Returns the text, at most ten seconds old. */
  async text(): Promise<string> {
    const cached = this.cached();
    if (cached !== undefined) return cached;
    this.#readAt = this.#clock.monotonic();
    try {
      this.#text = await this.#files.read(this.#path);
    } catch (cause) {
      if (this.#text === undefined)
        throw new CredentialsError(`${this.#path} cannot be read. Check the path and its permissions.`, { cause });
    }
    return this.#text;
  }

  /** Returns the text without waiting; undefined if it must be read again. */
  cached(): string | undefined {
    return this.#clock.monotonic() - this.#readAt < cacheMs ? this.#text : undefined;
  }

  /** Makes the next call of `text` read the file again. */
  forget(): void {
    this.#readAt = -Infinity;
  }
}
