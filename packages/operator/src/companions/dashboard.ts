// The dashboard as a program that operators install on demand. Its code is in apps/dashboard.

import { dnsSubdomainProblems, releaseVersion } from "@homeostat/core";
import { defineOperator } from "../definition/define-operator.ts";
import type { Operator, OperatorDefinition } from "../definition/operator.ts";
import { flag, type FlagsFor } from "../flags/flag.ts";

/** Settings of the dashboard in a cluster. */
export interface DashboardSettings {
  readonly port: number;
  /** Address to listen on; undefined for all. */
  readonly address: string | undefined;
  /** Accepted values of the header `Host`, besides loopback names with the port. */
  readonly hostNames: readonly string[];
  /** Header with the name of the user that a proxy has authenticated; undefined for logins with tokens only. */
  readonly userHeader: string | undefined;
  readonly groupsHeader: string | undefined;
  /** Header with the secret that only the proxy knows. */
  readonly proxySecretHeader: string;
  /** Folder with the files of {@link dashboardSecretFiles}. */
  readonly secretDir: string;
  /** Serves HTTPS with the certificate in `secretDir`. */
  readonly tls: boolean;
  /** Longest time between two logins with a token, in milliseconds. */
  readonly sessionTtl: number;
}

/** Flags of the dashboard in a cluster. */
export type DashboardFlags = FlagsFor<DashboardSettings>;

/** Files that the dashboard reads from `--secret-dir`, which are keys of a Secret. */
export const dashboardSecretFiles = {
  /** Secret of the proxy that sends identity headers. */
  proxy: "proxy-secret",
  /** Key of the cookies. Replicas need a common one; without it each process generates its own. */
  session: "session-key",
  certificate: "tls.crt",
  privateKey: "tls.key",
} as const;

const companionName = "web-dashboard";
const secretFolder = "/etc/dashboard";
const port = 8000;

const headerName = (text: string): string | undefined =>
  /^[A-Za-z0-9-]+$/.test(text) ? undefined : "must be the name of a header: letters, digits and dashes";

const hostName = (text: string): string | undefined => {
  const [, name = "", number] = /^([^:]*)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const isPort = number === undefined || Number(number) <= 65_535;
  return dnsSubdomainProblems(name).length === 0 && isPort
    ? undefined
    : "must have host names such as dashboard.example.com or dashboard.example.com:8443";
};

const flags: DashboardFlags = {
  // No variable: in a namespace with a Service named `dashboard`, Kubernetes sets DASHBOARD_PORT to its address.
  port: flag.integer({ default: port, min: 0, max: 65_535, help: "port of the page", env: null }),
  address: flag.optional({ help: "address to listen on; all when empty", placeholder: "ip", env: "DASHBOARD_ADDRESS" }),
  hostNames: flag.list({
    default: [],
    help: "names at which browsers reach the page, as in the header Host; others are refused",
    check: hostName,
    placeholder: "host[:port]",
  }),
  userHeader: flag.optional({
    help: "header in which a proxy passes the user that it has authenticated; requires the file proxy-secret",
    placeholder: "name",
    check: headerName,
  }),
  groupsHeader: flag.optional({
    help: "header with the groups of that user, separated by commas",
    placeholder: "name",
    check: headerName,
  }),
  proxySecretHeader: flag.text({
    default: "X-Dashboard-Secret",
    help: "header in which the proxy sends the content of the file proxy-secret",
    placeholder: "name",
    check: headerName,
  }),
  secretDir: flag.text({
    default: secretFolder,
    help: "directory with the optional files proxy-secret, session-key, tls.crt and tls.key",
    placeholder: "dir",
  }),
  tls: flag.boolean({ default: false, help: "serve HTTPS with tls.crt and tls.key", env: "DASHBOARD_TLS" }),
  sessionTtl: flag.duration({
    default: 8 * 3_600_000,
    minMs: 60_000,
    maxMs: 7 * 86_400_000,
    help: "how long a login lasts, if the token does not expire earlier",
  }),
};

/** The definition of the dashboard without its service. */
export type DashboardDefinition = Pick<
  OperatorDefinition<DashboardFlags>,
  "name" | "version" | "description" | "image" | "installation" | "asCompanion" | "settingAccess" | "settingProblems"
> & { readonly flags: DashboardFlags };

const impersonated = (plural: string) => ({ group: "", version: "v1", plural, scope: "Cluster" }) as const;

/**
 * Returns the definition of the dashboard without its service: everything that manifests and chart need.
 *
 * The service account of the dashboard has no permissions: every request is sent with the token of its user. Only with identity headers may it
 * impersonate users and groups.
 */
export function dashboardDefinition(name: string): DashboardDefinition {
  return {
    name,
    version: releaseVersion,
    description: "Shows the custom resources of operators in a web page, with the rights of each user.",
    image: `homeostat-dashboard:${releaseVersion}`,
    flags,
    // Not `dashboard`: that is the extra with panels for Grafana.
    asCompanion: { name: companionName, isInstalled: false },
    installation: {
      // All replicas serve the page. A second one requires a session key that both have.
      leaderElection: false,
      replicas: 1,
      resources: { requests: { cpu: "20m", memory: "96Mi" }, limits: { memory: "512Mi" } },
      servicePorts: [{ name: "http", port }],
      secretFiles: [
        {
          name: "secrets",
          secret: name,
          keys: Object.values(dashboardSecretFiles),
          mountPath: secretFolder,
          isOptional: true,
        },
      ],
    },
    settingAccess: [
      {
        setting: "userHeader",
        roleSuffix: "impersonation",
        rules: ["users", "groups"].map((plural) => ({ type: impersonated(plural), verbs: ["impersonate"] })),
      },
    ],
    settingProblems: ({ userHeader, groupsHeader, proxySecretHeader }) => {
      const lower = [userHeader, groupsHeader, proxySecretHeader].flatMap((each) => each?.toLowerCase() ?? []);
      return [
        ...(groupsHeader !== undefined && userHeader === undefined
          ? ["--groups-header requires --user-header, which names the user of the groups."]
          : []),
        ...(new Set(lower).size < lower.length
          ? ["--user-header, --groups-header and --proxy-secret-header must be different headers."]
          : []),
        ...(lower.includes("authorization") ? ["Authorization cannot be an identity header: it has tokens."] : []),
      ];
    },
  };
}

/**
 * Returns the dashboard as a companion of an operator. The chart installs it with `web-dashboard.enabled`, the command `manifests` with
 * `--with web-dashboard`.
 *
 * @example
 * defineOperator({ name: "shop-operator", companions: [dashboardCompanion("shop-operator")] });
 */
export function dashboardCompanion(operatorName: string): Operator {
  return defineOperator(dashboardDefinition(`${operatorName}-${companionName}`));
}
