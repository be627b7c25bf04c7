import { randomBytes } from "node:crypto";
import type { Client, Connection } from "@homeostat/client";
import type { Clock } from "@homeostat/core";
import { loopbackAccess } from "./access/loopback-access.ts";
import { type Dashboard, serveDashboard } from "./server/serve-dashboard.ts";
import { findOperatorPods } from "./why/find-operator-pods.ts";
import type { FindOperators } from "./why/why-view.ts";

/** Options of {@link serveOnLoopback}. */
export interface LoopbackOptions {
  /** Client with the credentials of the user. The caller closes it after the dashboard. */
  readonly client: Client;
  readonly connection: Connection;
  /** 0 for any free port. */
  readonly port: number;
  /** Default: operators in pods, reached by port-forwards. */
  readonly findOperators?: FindOperators | undefined;
  readonly assets?: URL | undefined;
  readonly clock?: Clock | undefined;
  readonly onError: (error: unknown) => void;
}

/** A dashboard for the user of this machine. */
export interface LoopbackDashboard extends Dashboard {
  /** Login link. It works once; the browser gets a cookie. */
  readonly url: string;
}

/** Serves the dashboard on the loopback interface, for the owner of the login link. */
export async function serveOnLoopback(options: LoopbackOptions): Promise<LoopbackDashboard> {
  const { client, connection, findOperators = findOperatorPods } = options;
  const secret = (): string => randomBytes(32).toString("base64url");
  const token = secret();
  let actualPort = options.port;
  const access = loopbackAccess({ client, connection, port: () => actualPort, token, cookieSecret: secret() });
  const dashboard = await serveDashboard({ ...options, access, findOperators });
  actualPort = dashboard.port;
  return {
    port: dashboard.port,
    url: `http://127.0.0.1:${dashboard.port}/login?token=${token}`,
    get streams() {
      return dashboard.streams;
    },
    renew: (certificate) => dashboard.renew(certificate),
    [Symbol.asyncDispose]: () => dashboard[Symbol.asyncDispose](),
  };
}
