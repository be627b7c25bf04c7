/** Limits on the requests that a server works on at the same time. */
export interface InFlightLimits {
  readonly requestsMax: number;
  /** Of one remote address, so that one client cannot take all of them. */
  readonly requestsPerAddressMax: number;
  /** Bytes of request bodies and of long responses. */
  readonly bytesMax: number;
  /** Of one remote address. */
  readonly bytesPerAddressMax: number;
}

/** A request in flight. Disposing of it returns what it holds. */
export interface RequestLease extends Disposable {
  /** Reserves memory. Returns false, and reserves nothing, when a limit would be exceeded. */
  reserve(bytes: number): boolean;
}

interface Usage {
  requests: number;
  bytes: number;
}

/** Counts requests in flight and the memory they hold, in total and for each remote address. */
export class InFlight {
  readonly #limits: InFlightLimits;
  readonly #total: Usage = { requests: 0, bytes: 0 };
  readonly #byAddress = new Map<string, Usage>();

  constructor(limits: InFlightLimits) {
    this.#limits = limits;
  }

  /** The requests in flight and the bytes they hold. */
  get usage(): Readonly<Usage> {
    return { ...this.#total };
  }

  /** Begins a request; undefined when a limit on requests is reached. */
  begin(address: string): RequestLease | undefined {
    const { requestsMax, requestsPerAddressMax, bytesMax, bytesPerAddressMax } = this.#limits;
    const total = this.#total;
    const own = this.#byAddress.get(address) ?? { requests: 0, bytes: 0 };
    if (total.requests >= requestsMax || own.requests >= requestsPerAddressMax) return undefined;
    this.#byAddress.set(address, own);
    total.requests += 1;
    own.requests += 1;
    let held = 0;
    let isEnded = false;
    return {
      reserve: (bytes) => {
        if (isEnded || total.bytes + bytes > bytesMax || own.bytes + bytes > bytesPerAddressMax) return false;
        held += bytes;
        total.bytes += bytes;
        own.bytes += bytes;
        return true;
      },
      [Symbol.dispose]: () => {
        if (isEnded) return;
        isEnded = true;
        total.requests -= 1;
        own.requests -= 1;
        total.bytes -= held;
        own.bytes -= held;
        if (own.requests === 0) this.#byAddress.delete(address);
      },
    };
  }
}
