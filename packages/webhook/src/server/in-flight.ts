/** Limits on concurrent requests. */
export interface InFlightLimits {
  readonly requestsMax: number;
  /** Limit per remote address, so that one client cannot use the whole limit. */
  readonly requestsPerAddressMax: number;
  /** Bytes of request bodies and of long responses. */
  readonly bytesMax: number;
  /** Limit per remote address. */
  readonly bytesPerAddressMax: number;
}

/** The resources of a request, from its headers to the end of its response. Disposing it releases them. */
export interface RequestLease extends Disposable {
  /**
   * Counts the request once its body has arrived. Returns false if a limit on requests is reached. Requests whose body
   * is still arriving do not count, because slow senders could use up the limit; limits on connections and bytes apply
   * to them.
   */
  start(): boolean;
  /** Reserves memory. Returns false, and reserves nothing, if a limit would be exceeded. */
  reserve(bytes: number): boolean;
}

interface Usage {
  requests: number;
  bytes: number;
}

interface AddressUsage extends Usage {
  leases: number;
}

/** Counts requests in flight and their memory, in total and per remote address. */
export class InFlight {
  readonly #limits: InFlightLimits;
  readonly #total: Usage = { requests: 0, bytes: 0 };
  readonly #byAddress = new Map<string, AddressUsage>();

  constructor(limits: InFlightLimits) {
    this.#limits = limits;
  }

  /** Number of requests in flight and of the bytes they hold. */
  get usage(): Readonly<Usage> {
    return { ...this.#total };
  }

  /** Opens a lease for a request whose headers have arrived. */
  open(address: string): RequestLease {
    const { requestsMax, requestsPerAddressMax, bytesMax, bytesPerAddressMax } = this.#limits;
    const total = this.#total;
    const own = this.#byAddress.get(address) ?? { requests: 0, bytes: 0, leases: 0 };
    this.#byAddress.set(address, own);
    own.leases += 1;
    let heldBytes = 0;
    let heldRequests = 0;
    let isEnded = false;
    return {
      start: () => {
        if (isEnded || total.requests >= requestsMax || own.requests >= requestsPerAddressMax) return false;
        heldRequests += 1;
        total.requests += 1;
        own.requests += 1;
        return true;
      },
      reserve: (bytes) => {
        if (isEnded || total.bytes + bytes > bytesMax || own.bytes + bytes > bytesPerAddressMax) return false;
        heldBytes += bytes;
        total.bytes += bytes;
        own.bytes += bytes;
        return true;
      },
      [Symbol.dispose]: () => {
        if (isEnded) return;
        isEnded = true;
        total.requests -= heldRequests;
        own.requests -= heldRequests;
        total.bytes -= heldBytes;
        own.bytes -= heldBytes;
        own.leases -= 1;
        if (own.leases === 0) this.#byAddress.delete(address);
      },
    };
  }
}
