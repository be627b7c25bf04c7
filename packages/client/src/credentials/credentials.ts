import type { Clock } from "@homeostat/core";
import type { Connection } from "../kubeconfig/connection.ts";
import { ExecPlugin, type RunPlugin } from "./exec-plugin.ts";
import type { FileReader } from "./files.ts";
import { textOf } from "./text-source.ts";
import { type CertificatePair, WatchedCertificate } from "./watched-certificate.ts";

/** The credentials of one request. */
export interface RequestCredentials {
  /** The value of the `Authorization` header. */
  readonly authorization: string | undefined;
  /** The client certificate and key of the TLS connection, in PEM. */
  readonly certificate: CertificatePair | undefined;
}

/** The source of credentials. They may change at any time: tokens rotate, plugins issue new ones. */
export interface Credentials {
  /** Returns the credentials to use now. Reads a file or runs a plugin if needed. */
  current(signal?: AbortSignal): Promise<RequestCredentials>;
  /** Returns the credentials without waiting; undefined if a file must be read or a plugin must run first. */
  cached(): RequestCredentials | undefined;
  /** Called when the server refused these credentials. The next call of `current` reads files again or runs the plugin. */
  invalidate(auth: RequestCredentials): void;
}

/** Dependencies of {@link credentialsOf}. */
export interface CredentialsOptions {
  readonly clock: Clock;
  readonly files: FileReader;
  readonly run: RunPlugin;
}

/** Returns the source of the credentials that a connection describes. */
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
        const issued = await plugin.current(signal);
        return { authorization: bearer(issued.token), certificate: issued.certificate ?? certificate };
      }
      return {
        authorization: tokenText === undefined ? login : bearer((await tokenText.text()).trim()),
        certificate,
      };
    },
    cached() {
      const certificate = own?.cached();
      const text = tokenText?.cached();
      if (plugin !== undefined || (own !== undefined && certificate === undefined)) return undefined;
      if (tokenText === undefined) return { authorization: login, certificate };
      return text === undefined ? undefined : { authorization: bearer(text.trim()), certificate };
    },
    invalidate(auth) {
      tokenText?.forget();
      own?.forget();
      plugin?.invalidate(auth);
    },
  };
}

/** Returns the `Authorization` header for a bearer token, undefined without a token. */
export function bearer(token: string | undefined): string | undefined {
  return token === undefined || token === "" ? undefined : `Bearer ${token}`;
}
