// The Secret with the certificates of a cluster, which all members and clients share.

import type { Client } from "@homeostat/client";
import { Secret } from "@homeostat/kubernetes/core/v1";
import { issue, type KeyPair, makeAuthority } from "@homeostat/x509";

const hourMs = 3_600_000;

/** Options of {@link Certificates}. */
export interface CertificatesOptions {
  readonly client: Client;
  readonly namespace: string;
  /** Name of the Secret. */
  readonly secret: string;
  /** Host names of the certificate. */
  readonly hosts: readonly string[];
}

/** An authority and the Secret with its certificate. */
export class Certificates {
  readonly #options: CertificatesOptions;
  readonly #authority: KeyPair;

  constructor(options: CertificatesOptions) {
    this.#options = options;
    this.#authority = makeAuthority({ subject: { commonName: "stories" }, ...validity() });
  }

  /** Creates the Secret. */
  async create(): Promise<void> {
    const { client, namespace, secret: name } = this.#options;
    const type = "kubernetes.io/tls";
    await client.create(Secret, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { namespace, name },
      type,
      data: this.#issue(),
    });
  }

  /** Replaces the certificate by another one of the same authority. */
  async rotate(): Promise<void> {
    const { client, namespace, secret: name } = this.#options;
    await client.patch(Secret, { namespace, name }, { merge: { data: this.#issue() } });
  }

  #issue(): Record<string, string> {
    const { hosts } = this.#options;
    const { cert, key } = issue(this.#authority, { subject: { commonName: "member" }, hosts, ...validity() });
    const base64 = (text: string): string => Buffer.from(text).toString("base64");
    return { "tls.crt": base64(cert), "tls.key": base64(key), "ca.crt": base64(this.#authority.cert) };
  }
}

function validity(): { readonly validFrom: Date; readonly validUntil: Date } {
  return { validFrom: new Date(Date.now() - hourMs), validUntil: new Date(Date.now() + 1000 * hourMs) };
}
