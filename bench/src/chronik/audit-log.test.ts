import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { countRequests, ownRequests } from "./audit-log.ts";

function line(verb: string, requestURI: string, resource?: string): string {
  return JSON.stringify({ verb, requestURI, ...(resource !== undefined && { objectRef: { resource } }) });
}

describe("counted requests of an audit log", () => {
  it("tells reads, lists, writes and events apart, and leaves watches, leases and discovery out", () => {
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
      '{"verb":"crea',
    ].join("\n");

    const counts = countRequests(text);

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
