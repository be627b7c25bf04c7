import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { headerSource } from "../request/header-source.ts";
import { defaultRoutingSettings } from "../settings/routing-settings.ts";
import { KeyReader } from "./key-reader.ts";
import type { KeyStep } from "./key-steps.ts";

describe("KeyReader", () => {
  it("asks only for the headers that it lists", () => {
    for (const role of ["takeover", "gateway"] as const) {
      const settings = {
        ...defaultRoutingSettings,
        acceptExternalKeys: true,
        customHeaders: ["x-preview"],
        groupHeaders: [{ name: "X-Checkout", routingKeys: ["abc"] }],
      };
      const keys = new KeyReader({ role, settings });
      const asked = new Set<string>();
      const values = new Map([["tracestate", "routing-key=abc"]]);
      const headers = {
        get: (name: string) => {
          asked.add(name);
          return values.get(name);
        },
      };

      keys.read({ method: "GET", path: "/", headers });

      // Decisions read the user agent, and splits the trace.
      assert.deepEqual([...asked, "user-agent"].sort(), keys.headerNames.toSorted());
    }
  });

  it("returns the place of the key", () => {
    const keys = new KeyReader({ role: "takeover" });
    const headers = headerSource([["Baggage", "sd-routing-key=abc"]]);

    assert.deepEqual(keys.read({ method: "GET", path: "/", headers }), {
      key: "abc",
      source: "baggage",
      name: "sd-routing-key",
    });
  });

  it("reads the assigned key in the roles gateway and local only", () => {
    const request = { method: "GET", path: "/", headers: headerSource([]), assignedKey: "abc" };

    const found = (["takeover", "sidecar", "gateway", "local"] as const).map(
      (role) => new KeyReader({ role }).read(request)?.key,
    );

    assert.deepEqual(found, [undefined, undefined, "abc", "abc"]);
  });

  it("does not read a header of a RouteGroup twice if it is an explicit one", () => {
    const settings = { ...defaultRoutingSettings, groupHeaders: [{ name: "X-Routing-Key", routingKeys: ["def"] }] };
    const keys = new KeyReader({ role: "takeover", settings });
    const steps: KeyStep[] = [];

    keys.read(
      { method: "GET", path: "/", headers: headerSource([["x-routing-key", "abc"]]) },
      { record: (step) => steps.push(step) },
    );

    assert.deepEqual(steps, [
      { step: "key", source: "explicit-header", name: "x-routing-key", value: "abc", result: "taken" },
    ]);
  });

  it("joins the keys of groups with the same header", () => {
    const groupHeaders = [
      { name: "x-team", routingKeys: ["abc"] },
      { name: "X-Team", routingKeys: ["def"] },
    ];
    const keys = new KeyReader({ role: "takeover", settings: { ...defaultRoutingSettings, groupHeaders } });

    const found = ["abc", "def", "ghi"].map(
      (key) => keys.read({ method: "GET", path: "/", headers: headerSource([["x-team", key]]) })?.key,
    );

    assert.deepEqual(found, ["abc", "def", undefined]);
  });

  it("records every value and its effect", () => {
    const keys = new KeyReader({ role: "takeover" });
    const steps: KeyStep[] = [];
    const headers = headerSource([
      ["x-routing-key", "Not A Key"],
      ["x-route-key", "abc"],
      ["baggage", `routing-key=abc,sd-routing-key=def,${"x".repeat(9000)}`],
      ["tracestate", "routing-key=ghi"],
      ["traceparent", "broken"],
    ]);

    keys.read({ method: "GET", path: "/", headers }, { record: (step) => steps.push(step) });

    assert.deepEqual(steps, [
      { step: "key", source: "explicit-header", name: "x-routing-key", value: "Not A Key", result: "invalid" },
      { step: "key", source: "explicit-header", name: "x-route-key", value: "abc", result: "taken" },
      { step: "key", source: "baggage", name: "routing-key", value: "abc", result: "same" },
      { step: "key", source: "baggage", name: "sd-routing-key", value: "def", result: "conflict" },
      { step: "key-source", source: "baggage", result: "truncated" },
      { step: "key-source", source: "tracestate", result: "malformed-traceparent" },
    ]);
  });
});
