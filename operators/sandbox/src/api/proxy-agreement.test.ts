// The API accepts nothing that proxies leave out: they ignore headers, settings and entries of tables that they do not understand.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  defaultRoutingSettings,
  keyHeaderProblem,
  parseRoutingSettings,
  parseTable,
  settableHeaderProblem,
} from "@homeostat/routing";
import { defaultConfig } from "../settings/config.ts";
import { routeGroupWith } from "../testing/objects.ts";
import { routeTableCases } from "../testing/policy-cases.ts";
import { RouteGroup } from "./route-group.ts";
import { RouteTable } from "./route-table.ts";

const names = [
  ..."connection http2-settings keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer".split(
    " ",
  ),
  ..."transfer-encoding upgrade baggage content-length expect host traceparent tracestate x-route-key".split(" "),
  ..."x-routing-key X-Sandbox-Hops authorization cookie set-cookie accept X-Team x_y a b é".split(" "),
  "a b",
  "",
];
const values = ["", "a", "a b", " a", "a ", "a\tb", "a\nb", "é", "😀", "\u007f", "\u0080", "a\u0000"];
const accepts = (spec: Parameters<typeof routeGroupWith>[0]): boolean =>
  RouteGroup.check(routeGroupWith(spec)).length === 0;

describe("header names", () => {
  for (const name of names) {
    it(`that the proxy refuses are refused (${name})`, () => {
      const isKeyHeader = accepts({ routingKeyHeader: name });
      const isSettable = accepts({ routes: [{ targetSandbox: "a", additionalHeaders: { [name]: "v" } }] });

      if (keyHeaderProblem(name) !== undefined) assert.equal(isKeyHeader, false);
      if (settableHeaderProblem(name) !== undefined) assert.equal(isSettable, false);
      if (/^(?:accept|x-team|x_y)$/i.test(name)) assert.ok(isKeyHeader && isSettable);
    });
  }
});

describe("header values", () => {
  it("are those that the proxy can send", () => {
    for (const value of values) {
      const entry = {
        routingKey: "abc",
        sandbox: "a",
        workload: "b",
        source: "Sandbox",
        ports: [],
        additionalHeaders: { a: value },
      };
      const { problems } = parseTable({
        namespace: "shop",
        service: "cart",
        version: "1",
        ports: [],
        entries: [entry],
      });

      assert.equal(
        accepts({ routes: [{ targetSandbox: "a", additionalHeaders: { a: value } }] }),
        problems.length === 0,
        JSON.stringify(value),
      );
    }
  });
});

describe("route tables", () => {
  for (const { title, spec, refused } of routeTableCases) {
    if (refused !== undefined) continue;
    it(`are read by proxies without problems (${title})`, () => {
      const table = RouteTable.parse({
        apiVersion: RouteTable.apiVersion,
        kind: "RouteTable",
        metadata: { name: "cart", namespace: "shop" },
        spec,
      });

      const { table: read, problems } = parseTable({ ...table.spec, namespace: "shop" });

      assert.deepEqual(problems, []);
      assert.equal(read?.entries.length, table.spec.entries.length);
    });
  }
});

describe("the part routing of the configuration", () => {
  it("has the defaults of the proxy and is read by it", () => {
    const { settings, problems } = parseRoutingSettings(defaultConfig.routing);

    assert.deepEqual(problems, []);
    assert.deepEqual(settings, defaultRoutingSettings);
  });
});
