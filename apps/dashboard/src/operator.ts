// The dashboard as a program in a cluster: flags, the manifests of the companion, and the service that serves the page.

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { ArgumentError } from "@homeostat/core";
import {
  dashboardDefinition,
  type DashboardSettings,
  dashboardSecretFiles,
  defineOperator,
  type Operator,
} from "@homeostat/operator";
import type { Service, ServiceTools } from "@homeostat/runtime";
import { CertificateFiles } from "@homeostat/webhook";
import type { KeyPair } from "@homeostat/x509";
import { clusterAccess } from "./access/cluster-access.ts";
import { SecretFiles } from "./secret-files.ts";
import { type Dashboard, serveDashboard } from "./server/serve-dashboard.ts";
import { findOperatorPods } from "./why/find-operator-pods.ts";

/** Options of {@link dashboardOperator}. */
export interface DashboardOperatorOptions {
  /** Folder with the files of the page. */
  readonly assets: URL;
  /** Interval at which the files of the Secret are read, in milliseconds. Default: 10,000. The kubelet needs a minute or two to update them. */
  readonly pollMs?: number | undefined;
  /** Called once the server listens, for tests. */
  readonly onListening?: ((dashboard: Dashboard) => void) | undefined;
}

/** Defines the dashboard as a program without controllers. */
export function dashboardOperator(options: DashboardOperatorOptions): Operator {
  return defineOperator({
    ...dashboardDefinition("homeostat-dashboard"),
    services: (settings) => [(tools) => dashboardService(tools, settings, options)],
  });
}

function dashboardService(
  { clock, connection, log, random }: ServiceTools,
  settings: DashboardSettings,
  { assets, pollMs = 10_000, onListening }: DashboardOperatorOptions,
): Service {
  const { port, address, hostNames, userHeader, groupsHeader, proxySecretHeader, secretDir, tls, sessionTtl } =
    settings;
  let isListening = false;
  return {
    name: "dashboard",
    when: "always",
    isReady: () => isListening,
    async run(signal) {
      if (connection === undefined)
        throw new ArgumentError({
          argument: "connection",
          problem: "must not be a transport: each user has a connection.",
        });
      const onProblem = (file: string, error: unknown): void => log.warn("Failed to read file", { file, error });
      const secrets = new SecretFiles({ folder: secretDir, clock, randomBytes, pollMs, onProblem });
      await secrets.sync();
      if (userHeader !== undefined && secrets.proxySecret() === undefined)
        log.warn("Identity headers are refused without the proxy secret", {
          header: userHeader,
          file: join(secretDir, dashboardSecretFiles.proxy),
        });
      let dashboard: Dashboard | undefined;
      const certPath = join(secretDir, dashboardSecretFiles.certificate);
      const files = new CertificateFiles({
        certPath,
        keyPath: join(secretDir, dashboardSecretFiles.privateKey),
        clock,
        pollMs,
        serve: (pair) => dashboard?.renew(pair),
        onProblem: (error) => onProblem(certPath, error),
      });
      const certificate = tls ? await firstCertificate(files, { clock, signal, onProblem, certPath }) : undefined;
      if (signal.aborted) return;
      await using serving = await serveDashboard({
        access: clusterAccess({
          connection,
          headers:
            userHeader === undefined
              ? undefined
              : { userHeader, groupsHeader, secretHeader: proxySecretHeader, secret: secrets.proxySecret },
          tokenLogin: { sessionKey: secrets.sessionKey, sessionMsMax: sessionTtl, isHttps: tls, clock },
        }),
        findOperators: findOperatorPods,
        host: address ?? "",
        port,
        hostNames,
        isForwarded: true,
        certificate,
        assets,
        clock,
        random,
        onError: (error) => log.error("Request failed", { error }),
      });
      dashboard = serving;
      isListening = true;
      log.info("Serving the dashboard", { port: serving.port, https: tls });
      onListening?.(serving);
      await Promise.all([secrets.run(signal), tls ? files.run(signal) : undefined]);
    },
  };
}

/** Waits for a certificate that can be used; undefined if the signal aborts first. */
async function firstCertificate(
  files: CertificateFiles,
  {
    clock,
    signal,
    onProblem,
    certPath,
  }: Pick<ServiceTools, "clock"> & {
    readonly signal: AbortSignal;
    readonly onProblem: (file: string, error: unknown) => void;
    readonly certPath: string;
  },
): Promise<KeyPair | undefined> {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      return await files.sync();
    } catch (error) {
      if (attempt % 10 === 0) onProblem(certPath, error);
    }
    await clock.sleep(1_000, signal).catch(() => undefined);
  }
  return undefined;
}
