import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  builtInByResource,
  builtInTable,
  customTable,
  type IncludeObject,
  makeTable,
} from "@homeostat/apiserver/internal";
import type { RealCluster } from "@homeostat/kube";
import { reasonToSkip, startCluster } from "../../../harness/cluster.ts";
import { samplesNamespace, samplesOf } from "./samples.ts";
import { at, Server } from "./server.ts";

const skip = await reasonToSkip({ need: "apiserver" });
const accept = "application/json;as=Table;g=meta.k8s.io;v=v1";

describe("tables, compared with a real server", { skip }, () => {
  let cluster: RealCluster;
  let server: Server;
  const collections = new Set<string>();
  let created = 0;
  /** Some random states are invalid and rejected by the server; the object then keeps its first state. */
  const refused: string[] = [];

  before(async () => {
    cluster = await startCluster({ need: "apiserver" });
    server = new Server(cluster);
    for (const name of [samplesNamespace, `${samplesNamespace}-quota`]) {
      const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
      await server.ask({ method: "POST", path: "/api/v1/namespaces", body });
    }
    for (const { path, body, status } of samplesOf(
      Number(process.env["HOMEOSTAT_SEED"] ?? 1),
      12,
      // A cluster that is used again may still contain the objects of the previous run.
      `x${Date.now().toString(36)}`,
    )) {
      const object = await server.good({ method: "POST", path, body });
      created += 1;
      collections.add(path);
      const name = String(at(object, "metadata", "name"));
      if (status !== undefined) {
        const whole = { ...(object as object), status };
        const response = await server.ask({ method: "PUT", path: `${path}/${name}/status`, body: whole });
        if (response.status !== 200) refused.push(`${path}: ${response.text.slice(0, 400)}`);
      }
      // Every seventh object is terminating.
      if (created % 7 === 0) await server.ask({ method: "DELETE", path: `${path}/${name}` });
    }
  });

  after(async () => {
    for (const path of collections) {
      const list = await server.good({ path });
      const items = at(list, "items") as unknown[];
      for (const item of items) {
        const name = String(at(item, "metadata", "name"));
        if (!path.includes("/namespaces/") && !name.startsWith("kinds-")) continue;
        if (at(item, "metadata", "finalizers") !== undefined) {
          const meta = { ...(at(item, "metadata") as object), finalizers: [] };
          await server.ask({ method: "PUT", path: `${path}/${name}`, body: { ...(item as object), metadata: meta } });
        }
        await server.ask({ method: "DELETE", path: `${path}/${name}?gracePeriodSeconds=0` });
      }
    }
    server.close();
    await cluster.stop();
  });

  it("have the same columns and cells", async () => {
    const differences: string[] = [];
    let cells = 0;
    for (const path of collections) {
      const parts = path.split("/").filter((part) => part !== "");
      const plural = parts.at(-1) ?? "";
      const [group, version] = parts[0] === "api" ? ["", parts[1] ?? ""] : [parts[1] ?? "", parts[2] ?? ""];
      assert.ok(builtInByResource(group, version, plural), path);
      const form = builtInTable(group, plural);
      assert.ok(form, path);

      const theirs = await server.good({ path: `${path}?includeObject=Object`, headers: { accept } });
      const rows = at(theirs, "rows") as unknown[];
      const objects = rows.map((row) => at(row, "object"));
      const ours = makeTable(form, at(theirs, "metadata"), objects, { nowMs: Date.now(), includeObject: "Object" });

      assert.deepEqual(ours.columnDefinitions, at(theirs, "columnDefinitions"), path);
      assert.deepEqual(ours.metadata, at(theirs, "metadata"), path);
      for (const [index, row] of rows.entries()) {
        const want = at(row, "cells") as unknown[];
        cells += want.length;
        const got = ours.rows[index];
        for (const [place, value] of want.entries()) {
          if (isClose(got?.cells[place], value)) continue;
          differences.push(
            `${plural} ${String(at(objects[index], "metadata", "name"))} column ${place}: ours ${JSON.stringify(got?.cells[place])}, theirs ${JSON.stringify(value)}`,
          );
        }
        assert.equal(got?.cells.length, want.length, path);
        assert.deepEqual(got?.conditions, at(row, "conditions"), path);
      }
    }

    assert.deepEqual(differences, []);
    assert.ok(refused.length < created / 20, refused.slice(0, 5).join("\n"));
    assert.ok(cells > 1500, `${cells} cells of ${created} objects`);
  });

  it("contain the same part of each object for each includeObject option", async () => {
    const path = `/api/v1/namespaces/${samplesNamespace}/configmaps`;
    const form = builtInTable("", "configmaps");
    assert.ok(form);
    const list = await server.good({ path });
    const items = (at(list, "items") as object[]).map((item) => ({ kind: "ConfigMap", apiVersion: "v1", ...item }));
    for (const includeObject of ["None", "Metadata", "Object"] satisfies IncludeObject[]) {
      const theirs = await server.good({ path: `${path}?includeObject=${includeObject}`, headers: { accept } });
      const ours = makeTable(form, at(list, "metadata"), items, { nowMs: Date.now(), includeObject });

      const objects = (at(theirs, "rows") as unknown[]).map((row) => at(row, "object"));
      assert.deepEqual(
        ours.rows.map((row) => row.object),
        objects,
      );
    }
  });

  it("show custom resources with their columns", async () => {
    const columns = [
      { name: "Color", type: "string", jsonPath: ".spec.color" },
      { name: "Size", type: "integer", jsonPath: ".spec.size", priority: 1, description: "How big." },
      { name: "Weight", type: "number", jsonPath: ".spec.weight", format: "double" },
      { name: "On", type: "boolean", jsonPath: ".spec.on" },
      { name: "When", type: "date", jsonPath: ".spec.when" },
      { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
      { name: "First", type: "string", jsonPath: ".status.conditions[0].type" },
      { name: "Last", type: "string", jsonPath: ".status.conditions[-1].type" },
      { name: "All", type: "string", jsonPath: ".status.conditions[*].type" },
      { name: "Slice", type: "string", jsonPath: ".status.conditions[0:2].type" },
      { name: "Whole", type: "string", jsonPath: ".spec" },
      { name: "Label", type: "string", jsonPath: ".metadata.labels.example\\.com/x" },
      { name: "Quoted", type: "string", jsonPath: ".metadata.labels['plain']" },
      { name: "Big", type: "string", jsonPath: ".status.conditions[?(@.rank>2)].type" },
      { name: "Deep", type: "string", jsonPath: "..rank" },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
      { name: "IntOfText", type: "integer", jsonPath: ".spec.color" },
    ];
    const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    await server.good({
      method: "POST",
      path: crds,
      body: {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: "shapes.tables.example.com" },
        spec: {
          group: "tables.example.com",
          scope: "Namespaced",
          names: { kind: "Shape", plural: "shapes" },
          versions: [
            {
              name: "v1",
              served: true,
              storage: true,
              schema: { openAPIV3Schema: schema },
              additionalPrinterColumns: columns,
            },
            { name: "v1beta1", served: true, storage: false, schema: { openAPIV3Schema: schema } },
          ],
        },
      },
    });
    const path = `/apis/tables.example.com/v1/namespaces/${samplesNamespace}/shapes`;
    const bodies: Record<string, unknown>[] = [
      { spec: { color: "red", size: 3, weight: 2.5, on: true, when: "2020-01-02T03:04:05Z" } },
      { spec: { color: 7, size: "big", weight: 4, on: "yes", when: "never" } },
      { spec: { color: { b: "<x>", a: [1, 2.5, true, null] }, size: 2.7, weight: "x", when: "" } },
      { spec: { color: ["a", "b"], size: null, on: null } },
      { spec: { color: true, size: 1e15, weight: 1e22 } },
      { status: { conditions: [] } },
      {
        status: {
          conditions: [
            { type: "A", status: "False", rank: 1 },
            { type: "Ready", status: "True", rank: 3 },
            { type: "Z", rank: 4 },
          ],
        },
      },
      { metadata: { labels: { "example.com/x": "1", plain: "2" } }, spec: { color: "" } },
      {},
    ];
    try {
      for (let attempt = 0; ; attempt += 1) {
        const response = await server.ask({ path });
        if (response.status === 200) break;
        assert.ok(attempt < 100);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      for (const [index, body] of bodies.entries()) {
        const metadata = { name: `s${index}`, ...(body["metadata"] as object | undefined) };
        await server.good({
          method: "POST",
          path,
          body: { apiVersion: "tables.example.com/v1", kind: "Shape", ...body, metadata },
        });
      }
      for (const [version, selected] of [
        ["v1", columns],
        ["v1beta1", []],
      ] as const) {
        const theirs = await server.good({
          path: `${path.replace("/v1/", `/${version}/`)}?includeObject=Object`,
          headers: { accept },
        });
        const rows = at(theirs, "rows") as unknown[];
        const ours = makeTable(
          customTable(selected),
          at(theirs, "metadata"),
          rows.map((row) => at(row, "object")),
          { nowMs: Date.now() },
        );
        assert.deepEqual(ours.columnDefinitions, at(theirs, "columnDefinitions"));
        for (const [index, row] of rows.entries()) {
          for (const [place, value] of (at(row, "cells") as unknown[]).entries()) {
            const got = ours.rows[index]?.cells[place];
            assert.ok(
              isClose(got, value),
              `row ${index}, ${ours.columnDefinitions?.[place]?.name}: ours ${JSON.stringify(got)}, theirs ${JSON.stringify(value)}`,
            );
          }
        }
      }
    } finally {
      await server.ask({ method: "DELETE", path: `${crds}/shapes.tables.example.com` });
    }
  });
});

/** Reports whether two cells are equal, except for a few seconds between the two clocks. */
function isClose(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  const ageText = /^(?:(\d+)m)?(\d+)s$/;
  const [left, right] = [ageText.exec(String(a)), ageText.exec(String(b))];
  if (left === null || right === null) return false;
  const seconds = (match: RegExpExecArray): number => Number(match[1] ?? 0) * 60 + Number(match[2]);
  return Math.abs(seconds(left) - seconds(right)) <= 3;
}
