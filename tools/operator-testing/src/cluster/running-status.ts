import { formatTime } from "@homeostat/core";
import type { PodSpec, PodStatus } from "@homeostat/kubernetes/core/v1";

/** Returns the status that a kubelet reports for a pod whose containers all run and are ready. */
export function runningStatus({ containers }: PodSpec, { podIP, nowMs }: { podIP: string; nowMs: number }): PodStatus {
  const at = formatTime(Math.floor(nowMs / 1000) * 1000);
  return {
    phase: "Running",
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: at,
    conditions: ["PodScheduled", "Initialized", "ContainersReady", "Ready"].map((type) => ({
      type,
      status: "True",
      lastTransitionTime: at,
    })),
    containerStatuses: containers.map(({ name, image = "" }) => ({
      name,
      image,
      imageID: image,
      ready: true,
      started: true,
      restartCount: 0,
      state: { running: { startedAt: at } },
    })),
  };
}
