// The Team resource: every member gets a ConfigMap with settings, and the team gets one welcome Job.

import { defineResource, s } from "homeostat";

export const Team = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Team",
  spec: {
    members: s.list(s.string().min(1).max(30)).set(),
    secret: s.string().min(1).describe("Name of the Secret with the team's password, in the same namespace."),
  },
  status: { members: s.int().optional() },
  conditions: ["Ready"],
  columns: [
    { name: "Members", jsonPath: ".status.members", type: "integer" },
    { name: "Ready", condition: "Ready" },
    { name: "Why", condition: "Ready", show: "message" },
  ],
});
