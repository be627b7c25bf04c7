import { Counter, Histogram, Registry } from "@homeostat/runtime";
import { workqueueBuckets } from "@homeostat/runtime/internal";
import type { BenchCases } from "../harness/case.ts";

const results = new Counter({ name: "results_total", help: "Results.", labels: ["controller", "result"] });
const success = results.with({ controller: "tenant", result: "success" });
const times = new Histogram({ name: "seconds", help: "Times.", labels: ["controller"], buckets: workqueueBuckets });
const tenantTimes = times.with({ controller: "tenant" });

const registry = new Registry();
const depths = registry.register(new Histogram({ name: "depths", help: "Depths.", labels: ["queue"] }));
for (let i = 0; i < 500; i += 1) depths.observe({ queue: `queue-${i}` }, i);

export const cases: BenchCases = [
  {
    name: "count one more",
    subjects: {
      "by series": () => success.inc(),
      "by labels": () => results.inc({ controller: "tenant", result: "success" }),
    },
  },
  {
    name: "observe a value, 12 buckets",
    subjects: {
      "by series": () => tenantTimes.observe(0.0123),
      "by labels": () => times.observe({ controller: "tenant" }, 0.0123),
    },
  },
  { name: "show 500 histograms, 7,000 lines", subjects: { expose: () => registry.expose() } },
];
