import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { kindOf, ownRequests, RequestCount } from "./request-count.ts";

describe("the requests of an operator", () => {
  it("are classified by verb and resource", () => {
    const paths = [
      ["GET", "/apis/locust.io/v2/locusttests?watch=true&resourceVersion=1", "WATCH"],
      ["GET", "/apis/locust.io/v2/locusttests?limit=500", "LIST locusttests"],
      ["GET", "/apis/locust.io/v2/namespaces/a/locusttests/b", "GET locusttests"],
      ["PATCH", "/apis/locust.io/v2/namespaces/a/locusttests/b/status?fieldManager=x", "PATCH locusttests/status"],
      ["POST", "/api/v1/namespaces/a/services", "POST services"],
      ["POST", "/apis/batch/v1/namespaces/a/jobs?fieldValidation=Strict", "POST jobs"],
      ["POST", "/apis/events.k8s.io/v1/namespaces/a/events", "event"],
      ["PUT", "/apis/coordination.k8s.io/v1/namespaces/a/leases/b", "lease"],
      ["GET", "/apis", "LIST apis"],
    ] as const;

    for (const [method, path, kind] of paths) assert.equal(kindOf({ method, path }), kind);
  });

  it("are counted without watches, lease and events, and repetitions are reported", () => {
    const count = new RequestCount();
    const job = { method: "POST", path: "/apis/batch/v1/namespaces/a/jobs", body: "{}" };
    const event = { method: "POST", path: "/api/v1/namespaces/a/events", body: "{}" };
    for (const sent of [job, { ...job, body: "{1}" }, job, event, event]) count.add(sent);

    const report = count.take();

    assert.deepEqual(report.byKind, { "POST jobs": 3, event: 2 });
    assert.equal(ownRequests(report), 3);
    assert.deepEqual(report.repeated, ["POST /apis/batch/v1/namespaces/a/jobs {}"]);
    count.add(job);
    assert.equal(count.take().repeated.length, 1, "even if the first one was reported earlier");
  });
});
