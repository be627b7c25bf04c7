import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defaultRoutingSettings, parseRoutingSettings } from "./routing-settings.ts";

describe("parseRoutingSettings", () => {
  it("returns the defaults without configuration", () => {
    for (const value of [undefined, null, {}, { unknown: 1 }]) {
      assert.deepEqual(parseRoutingSettings(value), { settings: defaultRoutingSettings, problems: [] });
    }
  });

  it("accepts its own defaults", () => {
    assert.deepEqual(parseRoutingSettings(defaultRoutingSettings), { settings: defaultRoutingSettings, problems: [] });
  });

  it("reads every field, and header names in any case", () => {
    const settings = {
      keyNames: ["team-key"],
      explicitHeaders: ["x-team-key"],
      groupHeaders: [{ name: "x-checkout", routingKeys: ["g7h2t5n8w0z3b"] }],
      compatHeaders: [],
      customHeaders: ["x-preview"],
      tracestate: { read: false, requireTraceparent: true },
      inject: ["x-team-key"],
      debugResponseHeader: false,
      acceptExternalKeys: true,
      auditPercent: 50,
    };

    const given = {
      ...settings,
      explicitHeaders: ["X-Team-Key"],
      groupHeaders: [{ name: "X-Checkout", routingKeys: ["g7h2t5n8w0z3b"] }],
      inject: ["X-Team-Key"],
    };

    assert.deepEqual(parseRoutingSettings(given), { settings, problems: [] });
  });

  it("reports all problems and keeps the defaults of these fields", () => {
    const { settings, problems } = parseRoutingSettings({
      keyNames: [],
      explicitHeaders: "x-routing-key",
      groupHeaders: [
        { name: "authorization", routingKeys: [] },
        { name: "x-ok", routingKeys: ["abc"] },
      ],
      compatHeaders: ["x-compat", "host"],
      customHeaders: ["cookie", "x ok", "connection"],
      tracestate: { read: "yes" },
      inject: ["x-other"],
      debugResponseHeader: 1,
    });

    assert.deepEqual(
      problems.map(({ field, value }) => `${field} ${value}`),
      [
        'routing.explicitHeaders "x-routing-key"',
        "routing.keyNames []",
        'routing.groupHeaders[0].name "authorization"',
        'routing.compatHeaders[1] "host"',
        'routing.customHeaders[0] "cookie"',
        'routing.customHeaders[1] "x ok"',
        'routing.customHeaders[2] "connection"',
        'routing.inject[0] "x-other"',
        "routing.debugResponseHeader 1",
        'routing.tracestate.read "yes"',
      ],
    );
    assert.deepEqual(settings, {
      ...defaultRoutingSettings,
      groupHeaders: [{ name: "x-ok", routingKeys: ["abc"] }],
      compatHeaders: ["x-compat"],
    });
  });

  it("rejects anything but an object", () => {
    assert.deepEqual(parseRoutingSettings([]), {
      settings: defaultRoutingSettings,
      problems: [{ field: "routing", value: "[]", reason: "must be an object" }],
    });
  });
});
