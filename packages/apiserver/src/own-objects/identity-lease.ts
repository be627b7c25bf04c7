// The identity Lease of an API server (KEP-1965), by which the servers of a cluster find each other. It is renewed along with other writes
// and not by a timer, so that an idle server writes nothing.

import { createHash } from "node:crypto";
import { type Clock, formatMicroTime, type JsonRecord, microsFromMs, type Random, uuid } from "@homeostat/core";
import { keyOf, keyPrefix } from "../resources/keys.ts";
import { encodeAtRevision } from "../registry/stored-object.ts";
import type { Store } from "../storage/store.ts";
import { ownedKeys, storeOwn } from "./store-own.ts";
import { whileWritable } from "./while-writable.ts";

const group = "coordination.k8s.io";
const plural = "leases";
const namespace = "kube-system";
/** Used in place of the machine's host name, so that the Lease does not reveal it. */
const hostname = "homeostat";
const durationSeconds = 3600;

/** Dependencies of {@link IdentityLease}. */
export interface IdentityLeaseOptions {
  readonly store: Store<JsonRecord>;
  readonly random: Random;
  readonly clock: Pick<Clock, "now">;
}

/** The identity Lease of one server. */
export class IdentityLease implements Disposable {
  readonly #options: IdentityLeaseOptions;
  readonly #name = `apiserver-${base32(createHash("sha256").update(hostname).digest().subarray(0, 16))}`;
  #renewedMs = 0;
  #unsubscribe: () => void = () => undefined;

  constructor(options: IdentityLeaseOptions) {
    this.#options = options;
  }

  /** Acquires the Lease and renews it until it is disposed. `address` is where other servers would reach this one. */
  take(address: string): void {
    const { store, random, clock } = this.#options;
    const holder = `${this.#name}_${uuid(random)}`;
    const spec = (): JsonRecord => ({
      holderIdentity: holder,
      leaseDurationSeconds: durationSeconds,
      renewTime: formatMicroTime(microsFromMs(clock.now())),
    });
    this.#renewedMs = clock.now();
    const key = keyOf(keyPrefix(group, plural), namespace, this.#name);
    const renew = (): void => {
      const entry = store.get(key);
      if (entry !== undefined) store.update(key, encodeAtRevision({ ...store.read(entry), spec: spec() }));
    };
    if (store.get(key) === undefined) this.#create(address, spec());
    else renew();
    this.#unsubscribe = store.subscribe(() => {
      if (clock.now() - this.#renewedMs < (durationSeconds * 1000) / 2) return;
      this.#renewedMs = clock.now();
      whileWritable(renew);
    });
  }

  [Symbol.dispose](): void {
    this.#unsubscribe();
  }

  #create(address: string, spec: JsonRecord): void {
    const { store, random, clock } = this.#options;
    const labels = { "apiserver.kubernetes.io/identity": "kube-apiserver", "kubernetes.io/hostname": hostname };
    const annotations = { "kubernetes.io/peer-advertise-address": address };
    storeOwn(
      {
        group,
        version: "v1",
        kind: "Lease",
        plural,
        namespace,
        name: this.#name,
        labels,
        annotations,
        content: { spec },
        managers: [
          {
            manager: "kube-apiserver",
            operation: "Update",
            fields: {
              "f:metadata": { "f:annotations": ownedKeys(annotations), "f:labels": ownedKeys(labels) },
              "f:spec": { "f:holderIdentity": {}, "f:leaseDurationSeconds": {}, "f:renewTime": {} },
            },
          },
        ],
      },
      { store, random, nowMs: clock.now() },
    );
  }
}

/** Returns bytes in base32 (RFC 4648) in lower case, without padding. */
function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((five) => "abcdefghijklmnopqrstuvwxyz234567".charAt(parseInt(five.padEnd(5, "0"), 2))).join("");
}
