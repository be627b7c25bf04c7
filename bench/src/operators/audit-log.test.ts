import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { countRequests, ownRequests } from "./audit-log.ts";

const user = "system:serviceaccount:operators:chronik";

function line(verb: string, requestURI: string, resource?: string, username = user): string {
  const objectRef = resource === undefined ? undefined : { resource };
  return JSON.stringify({ verb, requestURI, user: { username }, objectRef });
}

describe("counted requests of an audit log", () => {
  it("tells reads, lists, writes and events apart, and leaves watches, leases, discovery and other users out", () => {
    const pods = "/api/v1/namespaces/a/pods";
    const text = [
      line("get", `${pods}/p`, "pods"),
      line("list", `${pods}?limit=500`, "pods"),
      line("watch", `${pods}?watch=true`, "pods"),
      line("create", pods, "pods"),
      line("patch", `${pods}/p/status`, "pods"),
      line("update", "/apis/coordination.k8s.io/v1/namespaces/a/leases/l", "leases"),
      line("create", "/api/v1/namespaces/a/events", "events"),
      line("get", "/apis"),
      line("create", pods, "pods", "system:serviceaccount:operators:rabbitmq"),
      '{"verb":"crea',
    ].join("\n");

    const counts = countRequests(text, user);

    assert.deepEqual(counts, {
      reads: 1,
      lists: 1,
      writes: 2,
      events: 1,
      byKind: { "GET pods": 1, "LIST pods": 1, "POST pods": 1, "PATCH pods/status": 1, event: 1 },
    });
    assert.equal(ownRequests(counts), 4);
  });
});
