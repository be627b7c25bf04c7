import type { JsonRecord } from "@homeostat/core";
import { keyOf, keyPrefix } from "../../../resources/keys.ts";
import type { Store } from "../../../storage/store.ts";
import { listAt, numberAt, textAt } from "../../../values/fields.ts";

/** Cluster IPs and node ports of one Service. */
export interface ServiceNumbers {
  readonly addresses: ReadonlySet<string>;
  readonly ports: ReadonlySet<number>;
}

/** The name of the Service for which a number is requested; its own numbers do not count as taken. */
export interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

const prefix = keyPrefix("", "services");

/** Returns the cluster IPs and node ports in the spec of a Service. */
export function numbersOf(service: unknown): ServiceNumbers {
  const addresses = new Set<string>();
  const ports = new Set<number>();
  if (textAt(service, "spec", "type") !== "ExternalName") {
    for (const address of listAt(service, "spec", "clusterIPs")) {
      if (typeof address === "string" && address !== "None" && address !== "") addresses.add(address);
    }
  }
  for (const port of listAt(service, "spec", "ports")) {
    const number = numberAt(port, "nodePort");
    if (number !== 0) ports.add(number);
  }
  const health = numberAt(service, "spec", "healthCheckNodePort");
  if (health !== 0) ports.add(health);
  return { addresses, ports };
}

/**
 * An index of the cluster IPs and node ports of all stored Services, so that an allocation does not have to read all Services.
 *
 * The store reports each write, and each write that it rolls back, before it returns. The index therefore always holds the numbers of exactly the
 * Services that `Store.get` returns, and no number must be released explicitly. It is built from the store on first use.
 */
export class AllocatedNumbers implements Disposable {
  readonly #store: Store<JsonRecord>;
  /** Keys of the Services by number. Only inconsistent data has more than one Service for a number. */
  readonly #addresses = new Map<string, Set<string>>();
  readonly #ports = new Map<number, Set<string>>();
  readonly #numbers = new Map<string, ServiceNumbers>();
  #stop: (() => void) | undefined;

  constructor(store: Store<JsonRecord>) {
    this.#store = store;
  }

  /** Reports whether another Service than the given one has a cluster IP. */
  hasAddress(address: string, except: ServiceName): boolean {
    this.#build();
    return hasOther(this.#addresses.get(address), except);
  }

  /** Reports whether another Service than the given one has a node port. */
  hasPort(port: number, except: ServiceName): boolean {
    this.#build();
    return hasOther(this.#ports.get(port), except);
  }

  [Symbol.dispose](): void {
    this.#stop?.();
  }

  #build(): void {
    if (this.#stop !== undefined) return;
    const store = this.#store;
    for (const entry of store.view().entries({ prefix })) this.#set(entry.key, numbersOf(store.read(entry)));
    this.#stop = store.observe(({ key, after }) => {
      if (!key.startsWith(prefix)) return;
      this.#set(key, after === undefined ? undefined : numbersOf(store.read(after)));
    });
  }

  #set(key: string, next: ServiceNumbers | undefined): void {
    const before = this.#numbers.get(key);
    for (const address of before?.addresses ?? []) remove(this.#addresses, address, key);
    for (const port of before?.ports ?? []) remove(this.#ports, port, key);
    if (next === undefined) {
      this.#numbers.delete(key);
      return;
    }
    this.#numbers.set(key, next);
    for (const address of next.addresses) add(this.#addresses, address, key);
    for (const port of next.ports) add(this.#ports, port, key);
  }
}

function hasOther(keys: ReadonlySet<string> | undefined, { namespace, name }: ServiceName): boolean {
  if (keys === undefined) return false;
  return keys.size > 1 || !keys.has(keyOf(prefix, namespace, name));
}

function add<N>(index: Map<N, Set<string>>, number: N, key: string): void {
  const keys = index.get(number);
  if (keys === undefined) index.set(number, new Set([key]));
  else keys.add(key);
}

function remove<N>(index: Map<N, Set<string>>, number: N, key: string): void {
  const keys = index.get(number);
  if (keys?.delete(key) === true && keys.size === 0) index.delete(number);
}
