import type { Clock } from "@homeostat/core";
import type { Connection } from "../kubeconfig/connection.ts";
import type { Material } from "../kubeconfig/kubeconfig.ts";
import { ExecPlugin, type RunPlugin } from "./exec-plugin.ts";
import type { FileReader } from "./files.ts";
import { WatchedFile } from "./watched-file.ts";

/** What a request shows to prove who sends it. */
export interface Proof {
  /** The value of the `Authorization` header. */
  readonly authorization: string | undefined;
  /** The certificate and key of the TLS connection, in PEM. */
  readonly certificate: { readonly cert: string; readonly key: string } | undefined;
}

/** Where proofs come from. They may change at any time: tokens rotate, plugins hand out new ones. */
export interface Credentials {
  /** The proof to use now. */
  current(signal?: AbortSignal): Promise<Proof>;
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
  const { identity } = connection;
  const token = textOf(identity.token, options);
  const cert = textOf(identity.clientCertificate, options);
  const key = textOf(identity.clientKey, options);
  const plugin = identity.exec === undefined ? undefined : new ExecPlugin(identity.exec, connection, options);
  const basic =
    identity.basic === undefined
      ? undefined
      : `Basic ${Buffer.from(`${identity.basic.username}:${identity.basic.password}`).toString("base64")}`;

  return {
    async current(signal) {
      const own =
        cert === undefined || key === undefined ? undefined : { cert: await cert.text(), key: await key.text() };
      if (plugin !== undefined) {
        const handed = await plugin.current(signal);
        return { authorization: bearer(handed.token), certificate: handed.certificate ?? own };
      }
      return { authorization: token === undefined ? basic : bearer((await token.text()).trim()), certificate: own };
    },
    refused(proof) {
      for (const source of [token, cert, key]) source?.forget();
      plugin?.refused(proof.authorization);
    },
  };
}

interface TextSource {
  text(): Promise<string>;
  forget(): void;
}

function textOf(material: Material | undefined, options: CredentialsOptions): TextSource | undefined {
  if (material === undefined) return undefined;
  if ("path" in material) return new WatchedFile(material.path, options);
  return { text: () => Promise.resolve(material.data), forget: () => undefined };
}

function bearer(token: string | undefined): string | undefined {
  return token === undefined || token === "" ? undefined : `Bearer ${token}`;
}
