// Metrics of an operator's own, and a reconcile of all objects at an interval.
//
// Prints:
//   sites_checks_total{result="ok"} 1
//   after 5 minutes: sites_checks_total{result="ok"} 2
//   sites_certificate_expiry_seconds{site="default/shop"} 86400

import { startCluster } from "@homeostat/cluster";
import { FakeClock } from "@homeostat/core";
import { applyManifests, eventually, startOperator } from "@homeostat/testing";
import { Counter, defineController, defineOperator, defineResource, Gauge, s } from "homeostat";

const Site = defineResource({ group: "example.com", version: "v1", kind: "Site", spec: { host: s.string() } });

// region: metrics
const checks = new Counter({
  name: "sites_checks_total",
  help: "Total number of checks of sites by result.",
  labels: ["result"],
});
/** Seconds by site. */
const expiries = new Map<string, number>();
const expiry = new Gauge({
  name: "sites_certificate_expiry_seconds",
  help: "Seconds until the certificate of a site expires.",
  labels: ["site"],
  // Gauges can be read when they are scraped.
  read: (set) => expiries.forEach((seconds, site) => set({ site }, seconds)),
});

const sites = defineController({
  for: Site,
  // The certificate changes without an event: look at each site every five minutes.
  resyncMs: 300_000,
  async reconcile({ namespace, name }) {
    checks.inc({ result: "ok" });
    expiries.set(`${namespace}/${name}`, 86_400);
  },
  metrics: {
    register(registry) {
      registry.register(checks);
      registry.register(expiry);
    },
    // A replica that no longer leads must not report old values.
    clear: () => expiries.clear(),
  },
});
// endregion

const clock = new FakeClock({ turnsMin: 2 });
await using cluster = await startCluster({ clock, parts: "api" });
const operator = defineOperator({ name: "site-operator", resources: [Site], controllers: [sites] });
await using started = await startOperator(cluster, operator, { clock });
const sample = (name: string): string | undefined =>
  started.registry
    .expose()
    .split("\n")
    .find((line) => line.startsWith(`${name}{`));
const metadata = { namespace: "default", name: "shop" };
await applyManifests(started.client, [Site.make({ metadata, spec: { host: "shop.example.com" } })], { clock });
await started.settled();
console.log(sample("sites_checks_total"));

await clock.advance(300_000);
await eventually(async () => sample("sites_checks_total")?.endsWith(" 2") === true, { clock });
console.log(`after 5 minutes: ${sample("sites_checks_total")}`);
console.log(sample("sites_certificate_expiry_seconds"));
