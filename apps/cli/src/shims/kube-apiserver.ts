// Implementation of the `kube-apiserver` asset: the embedded API server, configured by the flags of the real one.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  ApiServer,
  openAuditLog,
  parseTokenFile,
  ServerCertificates,
  SigningKey,
  standardOptions,
  StaticTokens,
} from "@homeostat/apiserver";
import { readFlags } from "./flags.ts";
import { type ApiserverSettings, readApiserverSettings } from "./kube-apiserver-flags.ts";

const print = (line: string): void => void process.stderr.write(`kube-apiserver (homeostat): ${line}\n`);

/** Serves until SIGINT or SIGTERM. Rejects if the server cannot start, for example because a certificate file is missing. */
export async function runKubeApiserver(argv: readonly string[]): Promise<void> {
  const settings = readApiserverSettings(readFlags(argv));
  if (settings.ignored.length > 0)
    print(`ignoring unsupported flags: ${settings.ignored.map((name) => `--${name}`).join(", ")}`);
  const auditLog = settings.auditLogPath === undefined ? undefined : openAuditLog(settings.auditLogPath);
  const server = new ApiServer(
    standardOptions({
      ...(auditLog === undefined ? {} : { audit: auditLog.write }),
      onError: (error) => print(error instanceof Error ? error.message : String(error)),
      certificates: certificatesOf(settings),
      authorization: settings.authorization,
      ...(settings.isAnonymousServed ? { anonymous: "everywhere" } : {}),
      disabledSteps: settings.disabledSteps,
      ...(settings.tokenFile === undefined
        ? {}
        : { staticTokens: new StaticTokens(parseTokenFile(text(settings.tokenFile))) }),
      ...(settings.signingKeyFile === undefined ? {} : { signingKey: new SigningKey(text(settings.signingKeyFile)) }),
      ...(settings.issuer === undefined ? {} : { issuer: settings.issuer }),
      ...(settings.audiences.length === 0 ? {} : { apiAudiences: settings.audiences }),
      ...(settings.serviceNetwork === undefined ? {} : { serviceNetwork: settings.serviceNetwork }),
      ...(settings.eventTtlMs === undefined ? {} : { eventTtlMs: settings.eventTtlMs }),
    }),
  );
  const stop = (): void => {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
    void server.stop().finally(() => auditLog?.[Symbol.dispose]());
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  // Harnesses set --bind-address explicitly, so an address open to the network is intended.
  const { port, host } = settings;
  const { url } = await server.listen({ port, host, isOpenToNetwork: true });
  print(`serving at ${url}; state is kept in memory and lost on exit`);
}

function certificatesOf({ certDir, certFile, keyFile, clientAuthorityFile }: ApiserverSettings): ServerCertificates {
  const clientAuthorities = clientAuthorityFile === undefined ? undefined : text(clientAuthorityFile);
  if (certFile !== undefined && keyFile !== undefined) {
    return new ServerCertificates({ clientAuthorities, server: { cert: text(certFile), key: text(keyFile) } });
  }
  if (certDir === undefined) return new ServerCertificates({ clientAuthorities });
  const cert = join(certDir, "apiserver.crt");
  const key = join(certDir, "apiserver.key");
  if (existsSync(cert) && existsSync(key)) {
    return new ServerCertificates({ clientAuthorities, server: { cert: text(cert), key: text(key) } });
  }
  const generated = new ServerCertificates({ clientAuthorities });
  // The CA certificate follows the serving certificate, so that clients can use this file as their CA bundle.
  writeFileSync(cert, `${generated.server.cert}${generated.ca}`);
  writeFileSync(key, generated.server.key, { mode: 0o600 });
  return generated;
}

function text(file: string): string {
  return readFileSync(file, "utf8");
}
