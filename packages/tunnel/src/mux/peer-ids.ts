import { ProtocolError } from "../errors.ts";

/** Ids that a peer may skip and use later. A larger gap than the streams of a session is not an accident. */
const skippedMax = 2_000;

/**
 * The ids of the streams that the peer opened.
 *
 * Ids rise, but not strictly: Go's implementation numbers a stream before it sends the frame that opens it, so concurrent streams arrive in any
 * order. An id that was skipped may therefore still be opened, once.
 */
export class PeerIds {
  readonly #first: number;
  #next: number;
  readonly #skipped = new Set<number>();

  /** `first` is the first id of the peer: 1 for clients, 2 for servers. */
  constructor({ first }: { readonly first: number }) {
    this.#first = first;
    this.#next = first;
  }

  /** Reports whether the peer has opened a stream with this id, which may have ended. */
  wasOpened(id: number): boolean {
    return id >= this.#first && id < this.#next && !this.#skipped.has(id);
  }

  /** Takes the id of a stream that the peer opens. Throws a {@link ProtocolError} if it may not use it. */
  open(id: number): void {
    if (id === 0 || id % 2 !== this.#first % 2)
      throw new ProtocolError(`the peer opened stream ${id}, an id of this end`);
    if (this.#skipped.delete(id)) return;
    if (id < this.#next) throw new ProtocolError(`the peer opened stream ${id} twice`);
    if (this.#skipped.size + (id - this.#next) / 2 > skippedMax)
      throw new ProtocolError(`the peer opened stream ${id}, and skipped too many ids before it`);
    for (; this.#next < id; this.#next += 2) this.#skipped.add(this.#next);
    this.#next = id + 2;
  }
}
