import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Request, Response, Transport } from "@homeostat/client";
import { FakeClock, nextTurn } from "@homeostat/core";
import { recordingLogger, type LogLine } from "@homeostat/runtime";
import { sample } from "../testing/sample-operator.ts";
import { createOperatorManager } from "./operator-manager.ts";

/** An API server that authorizes everything and serves no kinds. */
const emptyServer: Transport = {
  async send({ path }: Request): Promise<Response> {
    if (path.endsWith("/selfsubjectaccessreviews")) return respond(201, { status: { allowed: true } });
    if (path.startsWith("/apis")) return respond(200, { kind: "APIGroupList", groups: [] });
    return respond(200, { kind: "APIVersions", versions: [] });
  },
};

function respond(status: number, value: unknown): Response {
  const bytes = Buffer.from(JSON.stringify(value));
  const headers = { "content-type": "application/json" };
  return { status, headers, body: { cancel: () => undefined, [Symbol.asyncIterator]: () => single(bytes) } };
}

async function* single(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

describe("createOperatorManager", () => {
  it("logs the command that installs missing CRDs of the operator", async () => {
    const lines: LogLine[] = [];
    const stop = new AbortController();
    const clock = new FakeClock();
    const manager = createOperatorManager(sample, {
      connection: emptyServer,
      run: { webhooks: false, leaderElect: false, metricsBindAddress: "0", healthProbeBindAddress: "0" },
      log: recordingLogger(lines),
      clock,
      env: {},
      program: "node dist/shop.js",
    });
    const running = manager.run(stop.signal);
    while (manager.state !== "running") await nextTurn();

    stop.abort();
    await clock.advance(1000);
    await running;

    const waiting = lines.filter(({ message }) => message === "Waiting for missing CRDs or permissions");
    assert.deepEqual(
      waiting.map(({ part, install }) => [part, install]),
      ["orders", "shops"].map((name) => [
        `controller/${name}`,
        "node dist/shop.js manifests --only crds | kubectl apply --server-side -f -",
      ]),
    );
    assert.match(String(waiting[0]?.["missing"]), /deployments\.apps/);
  });
});
