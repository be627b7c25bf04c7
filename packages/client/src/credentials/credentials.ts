import type { Clock } from "@homeostat/core";
import type { Connection } from "../kubeconfig/connection.ts";
import { ExecPlugin, type RunPlugin } from "./exec-plugin.ts";
import type { FileReader } from "./files.ts";
import { textOf } from "./text-source.ts";
import { type CertificatePair, WatchedCertificate } from "./watched-certificate.ts";

/** What a request shows to prove who sends it. */
export interface Proof {
  /** The value of the `Authorization` header. */
  readonly authorization: string | undefined;
  /** The certificate and key of the TLS connection, in PEM. */
  readonly certificate: CertificatePair | undefined;
}

/** Where proofs come from. They may change at any time: tokens rotate, plugins hand out new ones. */
export interface Credentials {
  /** The proof to use now. */
  current(signal?: AbortSignal): Promise<Proof>;
  /** The same at once; undefined when it has to be looked up. */
  known(): Proof | undefined;
  /** Tells that the server refused this proof, so that the next call of `current` looks for another. */
  refused(proof: Proof): void;
}

/** What the credentials of a connection need from the world. */
export interface CredentialsOptions {
  readonly clock: Clock;
  readonly files: FileReader;
  readonly run: RunPlugin;
}

/** The credentials that a connection describes. */
export function credentialsOf(connection: Connection, options: CredentialsOptions): Credentials {
  const { token, clientCertificate, clientKey, exec, basic } = connection.identity ?? {};
  const tokenText = token === undefined ? undefined : textOf(token, options);
  const own =
    clientCertificate === undefined || clientKey === undefined
      ? undefined
      : new WatchedCertificate(textOf(clientCertificate, options), textOf(clientKey, options));
  const plugin = exec === undefined ? undefined : new ExecPlugin(exec, connection, options);
  const login =
    basic === undefined ? undefined : `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString("base64")}`;

  return {
    async current(signal) {
      const certificate = await own?.current();
      if (plugin !== undefined) {
        const handed = await plugin.current(signal);
        return { authorization: bearer(handed.token), certificate: handed.certificate ?? certificate };
      }
      return {
        authorization: tokenText === undefined ? login : bearer((await tokenText.text()).trim()),
        certificate,
      };
    },
    known() {
      const certificate = own?.known();
      const text = tokenText?.known();
      if (plugin !== undefined || (own !== undefined && certificate === undefined)) return undefined;
      if (tokenText === undefined) return { authorization: login, certificate };
      return text === undefined ? undefined : { authorization: bearer(text.trim()), certificate };
    },
    refused(proof) {
      tokenText?.forget();
      own?.forget();
      plugin?.refused(proof);
    },
  };
}

/** The header value for a bearer token. */
export function bearer(token: string | undefined): string | undefined {
  return token === undefined || token === "" ? undefined : `Bearer ${token}`;
}
