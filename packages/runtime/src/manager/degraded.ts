import type { EventRecorder } from "../events/event-recorder.ts";
import type { EventSubject } from "../events/make-event.ts";
import { Gauge } from "../metrics/gauge.ts";
import type { Degraded } from "./gate.ts";
import type { ManagerSettings } from "./options.ts";
import type { Part } from "./part.ts";

/** Records an event about the operator's pod for a part that waits for missing kinds or permissions. Does nothing outside a pod. */
export function recordDegraded(
  name: string,
  { why, install }: Degraded,
  { pod, events }: { readonly pod: ManagerSettings["pod"]; readonly events: Pick<EventRecorder, "record"> | undefined },
): void {
  if (pod === undefined) return;
  const subject: EventSubject = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: pod.name, namespace: pod.namespace, ...(pod.uid === undefined ? {} : { uid: pod.uid }) },
  };
  const hint = install.length === 0 ? "" : ` Install with: ${install.join("; ")}`;
  const note = `Waiting to start ${name}: ${why}.${hint}`;
  events?.record(subject, { type: "Warning", reason: "Degraded", action: "Preflight", note });
}

/** Returns the metric of the parts that wait for missing kinds or permissions. */
export function degradedGauge(parts: () => readonly Pick<Part, "name" | "state">[]): Gauge<"controller" | "reason"> {
  return new Gauge({
    name: "homeostat_controller_degraded",
    help: "1 if a controller or service is not started because of missing kinds or permissions, else 0.",
    labels: ["controller", "reason"],
    read: (set) => {
      for (const { name, state } of parts()) {
        const controller = name.replace(/^controller\//, "");
        for (const reason of ["access", "kinds"] as const) {
          set({ controller, reason }, state.at === "degraded" && state.reason === reason ? 1 : 0);
        }
      }
    },
  });
}
