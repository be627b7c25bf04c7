import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import type { ContainerView } from "./pod-view.ts";
import { Network } from "./network.ts";
import type { ProbeTarget, RunningProgram } from "./program.ts";
import { type ProbeScope, runProbe } from "./run-probe.ts";

const container: ContainerView = { name: "main", ports: [{ name: "health", containerPort: 8081 }] };

/** Returns the scope of a program that handles probes itself: it listens on port 8081 and is not ready. */
function scopeOf(probed: ProbeTarget[]): ProbeScope {
  const program: RunningProgram = {
    servesPorts: true,
    terminate: () => undefined,
    kill: () => undefined,
    probe: (target) => {
      probed.push(target);
      if (target.port !== 8081) return undefined;
      return target.path === "/readyz" ? 503 : 200;
    },
  };
  const { signal } = new AbortController();
  return { container, ip: "10.0.0.2", program, network: new Network(), clock: new FakeClock(), signal };
}

describe("probes that a program handles without a socket", () => {
  it("succeed or fail by the status of the program", async () => {
    const probed: ProbeTarget[] = [];
    const scope = scopeOf(probed);

    assert.deepEqual(await runProbe({ httpGet: { path: "/healthz", port: "health" } }, scope), {
      ok: true,
      output: "",
    });
    assert.deepEqual(await runProbe({ httpGet: { path: "/readyz", port: 8081 } }, scope), {
      ok: false,
      output: "HTTP probe failed with statuscode: 503",
    });
    assert.deepEqual(await runProbe({ tcpSocket: { port: "health" } }, scope), { ok: true, output: "" });
    assert.deepEqual(probed, [
      { port: 8081, path: "/healthz" },
      { port: 8081, path: "/readyz" },
      { port: 8081, path: undefined },
    ]);
  });

  it("are refused on ports on which the program does not listen", async () => {
    const scope = scopeOf([]);

    assert.deepEqual(await runProbe({ httpGet: { path: "/", port: 1 } }, scope), {
      ok: false,
      output: 'Get "http://10.0.0.2:1/": dial tcp 10.0.0.2:1: connect: connection refused',
    });
    assert.deepEqual(await runProbe({ tcpSocket: { port: 1 } }, scope), {
      ok: false,
      output: "dial tcp 10.0.0.2:1: connect: connection refused",
    });
  });
});
