// What the asset `kube-apiserver` runs: the embedded API server behind the flags that test harnesses give to the real one.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  ApiServer,
  parseTokenFile,
  ServerCertificates,
  SigningKey,
  standardOptions,
  StaticTokens,
} from "@homeostat/apiserver";
import { readFlags } from "./flags.ts";
import { type ApiserverWish, apiserverWish } from "./kube-apiserver-flags.ts";

const say = (line: string): void => void process.stderr.write(`kube-apiserver (homeostat): ${line}\n`);

/** Serves until it is told to stop. Rejects when it cannot, such as for a file that is not there. */
export async function runKubeApiserver(words: readonly string[]): Promise<void> {
  const wish = apiserverWish(readFlags(words));
  if (wish.ignored.length > 0) say(`does nothing with ${wish.ignored.map((name) => `--${name}`).join(", ")}`);
  const server = new ApiServer(
    standardOptions({
      onError: (error) => say(error instanceof Error ? error.message : String(error)),
      certificates: certificatesOf(wish),
      authorization: wish.authorization,
      ...(wish.isAnonymousServed ? { anonymous: "everywhere" } : {}),
      disabledSteps: wish.disabledSteps,
      ...(wish.tokenFile === undefined ? {} : { staticTokens: new StaticTokens(parseTokenFile(text(wish.tokenFile))) }),
      ...(wish.signingKeyFile === undefined ? {} : { signingKey: new SigningKey(text(wish.signingKeyFile)) }),
      ...(wish.issuer === undefined ? {} : { issuer: wish.issuer }),
      ...(wish.audiences.length === 0 ? {} : { apiAudiences: wish.audiences }),
      ...(wish.serviceNetwork === undefined ? {} : { serviceNetwork: wish.serviceNetwork }),
      ...(wish.eventTtlMs === undefined ? {} : { eventTtlMs: wish.eventTtlMs }),
    }),
  );
  const stop = (): void => {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
    void server.stop();
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  // An address that was written out is meant.
  const { port, host } = wish;
  const { url } = await server.listen({ port, host, isOpenToNetwork: true });
  say(`serves at ${url}; its state is in memory, and gone when it stops`);
}

function certificatesOf({ certDir, certFile, keyFile, clientAuthorityFile }: ApiserverWish): ServerCertificates {
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
  const made = new ServerCertificates({ clientAuthorities });
  // With the authority after it, so that clients can trust the file as it is.
  writeFileSync(cert, `${made.server.cert}${made.ca}`);
  writeFileSync(key, made.server.key, { mode: 0o600 });
  return made;
}

function text(file: string): string {
  return readFileSync(file, "utf8");
}
