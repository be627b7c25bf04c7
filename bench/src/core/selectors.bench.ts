import { LabelSelector, parseLabelSelector } from "@homeostat/core";
import type { BenchCases } from "../harness/case.ts";

const text = "app.kubernetes.io/name=web,tier in (front,back),!legacy,environment!=test";
const selector = parseLabelSelector(text);
const labels = { "app.kubernetes.io/name": "web", tier: "back", environment: "production", team: "blue", shard: "3" };
const others = { "app.kubernetes.io/name": "database", tier: "back", environment: "production" };

export const cases: BenchCases = [
  {
    name: "match four requirements",
    subjects: {
      "LabelSelector.matches": () => selector.matches(labels),
      "the same by hand": () =>
        labels["app.kubernetes.io/name"] === "web" &&
        ["front", "back"].includes(labels.tier) &&
        !("legacy" in labels) &&
        labels.environment !== "test",
    },
  },
  {
    name: "find at the first requirement that it does not match",
    subjects: { matches: () => selector.matches(others) },
  },
  { name: "match everything", subjects: { matches: () => LabelSelector.everything.matches(labels) } },
  { name: "parse four requirements", subjects: { parseLabelSelector: () => parseLabelSelector(text) } },
];
