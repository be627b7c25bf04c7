import type { ClusterStatus } from "@homeostat/chronik-operator";
import type { RollingUpdateProgress } from "./rolling-update.ts";

/** Returns the phase of a cluster, with the last error if it failed. */
export function stateOf({ phase = "Pending", lastError }: Pick<ClusterStatus, "phase" | "lastError">): string {
  return phase === "Failed" && lastError !== undefined
    ? `${phase}: ${lastError.message.replaceAll(/\s+/g, " ")}`
    : phase;
}

/** Returns the address for Kafka clients and the state of the quorum; nothing unless the cluster runs. */
export function statusLines({
  phase,
  bootstrapServers,
  quorum,
}: Pick<ClusterStatus, "phase" | "bootstrapServers" | "quorum">): string[] {
  if (phase !== "Running") return [];
  const lines = bootstrapServers === undefined ? [] : [`bootstrap servers inside the cluster: ${bootstrapServers}`];
  if (quorum === undefined) return lines;
  const leader = quorum.leader === undefined ? "" : `, leader ${quorum.leader}`;
  return [...lines, `quorum: ${quorum.ready} of ${quorum.voters} voters ready${leader}`];
}

/** Returns the result of a rolling update in one line. */
export function restartLine({ pods, restarted, unavailableMax }: RollingUpdateProgress): string {
  return `${restarted} of ${pods} pods restarted, at most ${unavailableMax} unavailable at the same time`;
}
