import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UsageError } from "@homeostat/core";
import type { RouteTable } from "@homeostat/routing";
import { cartTable, sidecarTable } from "../testing/tables.ts";
import { parseApplicationPorts, sidecarTables } from "./application-ports.ts";

const key = "k3v9q2m7x1c4d";
const ports = parseApplicationPorts("http=8080:19100,metrics=9100:19101");

function tableOf(change: Partial<RouteTable> = {}, targetPort = "http"): RouteTable {
  return { ...sidecarTable(cartTable(), targetPort), ...change };
}

/** Returns service, port, listener, baseline and keys of each port of the application. */
function shown(...tables: readonly RouteTable[]): readonly unknown[] {
  return sidecarTables(tables, { ports, namespace: "shop" }).map(({ service, ports: compiled, keys }) => {
    const [{ port } = { port: undefined }] = [...compiled.values()];
    return [service, port?.port, port?.listen, port?.baselineTarget, [...keys]];
  });
}

describe("the tables of a sidecar", () => {
  it("lead to the application on loopback, with the routes of the Service that names the port", () => {
    assert.deepEqual(shown(tableOf()), [
      ["cart", 80, 19_100, "127.0.0.1:8080", [key]],
      ["", 9100, 19_101, "127.0.0.1:9100", []],
    ]);
  });

  it("have no routes before a table is received, nor those of Services that another way intercepts", () => {
    assert.deepEqual(shown()[0], ["", 8080, 19_100, "127.0.0.1:8080", []]);
    assert.deepEqual(shown(tableOf({ interception: "Takeover" }))[0], ["", 8080, 19_100, "127.0.0.1:8080", []]);
    assert.deepEqual(shown(tableOf({}, "admin"))[0], ["", 8080, 19_100, "127.0.0.1:8080", []]);
    assert.deepEqual(shown(tableOf({}, "8080"))[0], ["", 8080, 19_100, "127.0.0.1:8080", []], "a number bypasses it");
  });

  it("join the routes of all Services that lead to one port", () => {
    const [entry] = cartTable().entries;
    assert.ok(entry);
    const other = tableOf({
      service: "cart-internal",
      ports: [{ port: 8888, targetPort: "http", baselineTarget: "127.0.0.1:1" }],
      entries: [
        { ...entry, routingKey: "other-key", ports: [{ port: 8888, targetService: "x", targetPort: 1 }] },
        { ...entry, routingKey: "wrong-port", ports: [{ port: 9999, targetService: "x", targetPort: 1 }] },
      ],
    });
    const [table] = sidecarTables([other, tableOf()], { ports, namespace: "shop" });

    assert.equal(table?.service, "cart");
    assert.deepEqual([...(table?.ports.get(80)?.routes.keys() ?? [])], [key, "other-key"]);
  });
});

describe("--application-ports", () => {
  it("names the invalid part", () => {
    for (const text of ["http", "http=8080", "http=0:19100", "http=8080:99999", "HTTP=1:2"])
      assert.throws(
        () => parseApplicationPorts(`ok=1:2,${text}`),
        (error) => {
          assert.ok(error instanceof UsageError);
          assert.ok(error.message.includes(JSON.stringify(text)), error.message);
          return true;
        },
      );
    assert.deepEqual(parseApplicationPorts(""), []);
  });
});
