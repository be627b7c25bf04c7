import { respondsOk } from "../control-plane/api.ts";
import { adminAccess, serverOf } from "../control-plane/control-plane.ts";
import { nodeLayouts } from "../records/layout.ts";
import { isNodeReady } from "../nodes/node.ts";
import { type Environment, clusterFolder } from "../cache/paths.ts";
import { openPki } from "../certificates/pki.ts";
import { isAlive } from "../processes/process-identity.ts";
import { type ClusterRecord, clusterPaths, isOrphan, readRecord, clusterState } from "../records/state.ts";
import { ageText, now } from "../processes/time.ts";

/** State of one process of a cluster. */
export interface ComponentStatus {
  readonly component: string;
  readonly pid: number;
  readonly port: number | undefined;
  readonly health: "ok" | "runs" | "not ready" | "dead";
  readonly logPath: string;
}

/** State of a cluster. */
export interface ClusterStatus {
  readonly name: string;
  readonly kind: string;
  /** One of `"ready"`, `"not ready"`, `"broken"`, `"starting"`, `"stopped"`, `"failed"`. */
  readonly state: string;
  readonly healthy: boolean;
  readonly server: string;
  readonly kubeconfig: string;
  readonly ageMs: number;
  readonly ownerPid: number | undefined;
  readonly components: readonly ComponentStatus[];
}

/** Returns the state of a cluster with the health of its components; undefined if it does not exist. */
export async function statusOf(env: Environment, name: string): Promise<ClusterStatus | undefined> {
  const record = readRecord(env, name);
  if (record === undefined) return undefined;
  const folder = clusterFolder(env, name);
  const stands = clusterState(record);
  const components = await Promise.all(
    record.processes
      .filter((one) => one.component !== "machine-init")
      .map(async ({ component, pid, started }) => ({
        component,
        pid,
        port: portOf(record, component),
        health: isAlive({ pid, started }) ? await healthOf(record, folder, component) : ("dead" as const),
        logPath: clusterPaths(folder).log(component),
      })),
  );
  const healthy = stands === "running" && components.every(({ health }) => health === "ok" || health === "runs");
  const state = stands === "running" ? (healthy ? "ready" : "not ready") : stands;
  return {
    name,
    kind: record.kind,
    state: isOrphan(record) ? `${state}, owner gone` : state,
    healthy,
    server: serverOf(record),
    kubeconfig: clusterPaths(folder).kubeconfig,
    ageMs: now().getTime() - Date.parse(record.created),
    ownerPid: record.owner?.pid,
    components,
  };
}

function portOf({ ports }: ClusterRecord, component: string): number | undefined {
  switch (component) {
    case "etcd":
      return ports.etcd;
    case "kube-apiserver":
      return ports.apiserver;
    case "kube-controller-manager":
      return ports.controllerManager;
    case "kube-scheduler":
      return ports.scheduler;
    default:
      return undefined;
  }
}

async function healthOf(
  record: ClusterRecord,
  folder: string,
  component: string,
): Promise<"ok" | "runs" | "not ready"> {
  const pki = openPki(folder);
  const local = { server: `https://127.0.0.1:${portOf(record, component) ?? 0}`, ca: pki.read("ca.crt") };
  switch (component) {
    case "etcd": {
      const keys = { ca: pki.read("etcd-ca.crt"), cert: pki.read("etcd-client.crt"), key: pki.read("etcd-client.key") };
      return word(await respondsOk({ ...local, ...keys }, "/health"));
    }
    case "kube-apiserver":
      return word(await respondsOk(adminAccess(record, folder), "/readyz"));
    case "kube-controller-manager":
    case "kube-scheduler":
      return word(await respondsOk(local, "/healthz"));
    default: {
      const node = nodeLayouts(record).find(({ suffix }) => component === `kubelet${suffix}`);
      return node === undefined ? "runs" : word(await isNodeReady(record, folder, node));
    }
  }
}

function word(answered: boolean): "ok" | "not ready" {
  return answered ? "ok" : "not ready";
}

/** Formats the page about one cluster. */
export function statusText(status: ClusterStatus): string {
  const rows = status.components.map(({ component, pid, port, health, logPath }) => [
    component,
    String(pid),
    port === undefined ? "-" : String(port),
    health,
    logPath,
  ]);
  return [
    `cluster ${status.name} (${status.kind}): ${status.state}, ${ageText(status.ageMs)} old`,
    `server      ${status.server}`,
    `kubeconfig  ${status.kubeconfig}`,
    ...(status.ownerPid === undefined ? [] : [`owner       process ${status.ownerPid}`]),
    "",
    ...table([["COMPONENT", "PID", "PORT", "HEALTH", "LOG"], ...rows]),
  ].join("\n");
}

/** Formats the table of all clusters. */
export function listText(statuses: readonly (ClusterStatus | undefined)[]): string {
  const rows = statuses.flatMap((status) =>
    status === undefined
      ? []
      : [
          [
            status.name,
            status.kind,
            status.state,
            status.server,
            ageText(status.ageMs),
            String(status.ownerPid ?? "-"),
            status.components.map(({ pid }) => pid).join(",") || "-",
          ],
        ],
  );
  if (rows.length === 0) return "no clusters";
  return table([["NAME", "KIND", "STATE", "SERVER", "AGE", "OWNER", "PIDS"], ...rows]).join("\n");
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
