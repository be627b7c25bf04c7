import type { Endpoint, ServiceResolver } from "@homeostat/apiserver";

/** The Services that programs on this machine serve, for requests of the API server. */
export class LocalServices {
  readonly #resolve: ServiceResolver | undefined;
  readonly #addresses = new Map<string, Endpoint>();

  /** `resolve` is asked for Services that were not added. */
  constructor(resolve: ServiceResolver | undefined) {
    this.#resolve = resolve;
  }

  /** Adds a Service, or replaces its address. Disposing of the result removes the address, unless it was replaced. */
  add(service: { readonly namespace: string; readonly name: string }, address: Endpoint): Disposable {
    const key = keyOf(service);
    this.#addresses.set(key, address);
    return {
      [Symbol.dispose]: () => {
        if (this.#addresses.get(key) === address) this.#addresses.delete(key);
      },
    };
  }

  /** Returns the address of a Service, or the error text if there is none. */
  resolve(service: Parameters<ServiceResolver>[0]): ReturnType<ServiceResolver> {
    return this.#addresses.get(keyOf(service)) ?? this.#resolve?.(service) ?? `service "${service.name}" not found`;
  }
}

function keyOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}
