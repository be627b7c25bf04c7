// Tests an operator that acts after hours, on an embedded cluster with virtual time.
//
// Prints:
//   after the start: active
//   after 8 hours: expired

import { startCluster } from "@homeostat/cluster";
import { FakeClock } from "@homeostat/core";
import { applyManifests, eventually, startOperator } from "@homeostat/testing";
import { defineController, defineOperator, defineResource, s } from "homeostat";

const Session = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Session",
  spec: { hours: s.int() },
  status: { phase: s.enum("active", "expired").optional() },
});

const sessions = defineController({
  for: Session,
  async reconcile({ object: { metadata, spec }, serverClock, setStatus }) {
    const endsAt = Date.parse(metadata.creationTimestamp ?? "") + spec.hours * 3_600_000;
    const leftMs = endsAt - serverClock.now();
    setStatus({ phase: leftMs > 0 ? "active" : "expired" });
    return leftMs > 0 ? { requeueAfterMs: leftMs } : {};
  },
});

const sessionOperator = defineOperator({ name: "session-operator", resources: [Session], controllers: [sessions] });
const at = { namespace: "default", name: "lab" };

// region: time
const clock = new FakeClock({ turnsMin: 2 });
await using cluster = await startCluster({ clock });
await using operator = await startOperator(cluster, sessionOperator, { clock });
const { client } = operator;
await applyManifests(client, [Session.make({ metadata: at, spec: { hours: 8 } })], { clock });
await operator.settled();
console.log(`after the start: ${(await client.get(Session, at))?.status?.phase}`);

await clock.advance(7.9 * 3_600_000);
const phase = await eventually(
  async () => {
    const { status } = (await client.get(Session, at)) ?? {};
    return status?.phase === "expired" && status.phase;
  },
  { clock },
);
console.log(`after 8 hours: ${phase}`);
// endregion
