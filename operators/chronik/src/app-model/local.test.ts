import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelContainer } from "@homeostat/cluster/app-model";
import { FakeClock } from "@homeostat/core";
import { ComponentClient } from "../component/client.ts";
import { componentPort } from "../component/contract.ts";
import { localComponents } from "./local.ts";

const options = {
  startMs: 20_000,
  stopMs: 5_000,
  drainMs: 30_000,
  isNeverReady: () => false,
  neverDrains: () => false,
};
const readiness = { port: componentPort, path: "/readyz" };
const target = { ip: "10.0.0.2", nodeId: 1 };

/** Starts a container of an ingest node. */
function startIngest(given: Partial<typeof options> = {}) {
  const clock = new FakeClock();
  const components = localComponents({ ...options, ...given });
  const env = new Map([["CHRONIK_ROLE", "ingest"]]);
  const { context, exits } = modelContainer({ name: "ingest" }, { clock, env });
  const client = new ComponentClient({ clock, send: components.send });
  const { signal } = new AbortController();
  const drainState = async (): Promise<string> => {
    const result = await client.drain(target, signal);
    return result.type === "response" ? result.value.state : result.type;
  };
  const startDrain = async (): Promise<unknown> => client.startDrain(target, signal);
  return { clock, components, exits, program: components.model.start(context), drainState, startDrain };
}

describe("components without sockets", () => {
  it("refuse probes and calls until they have started, and again after they were stopped", async () => {
    const { clock, program, drainState, exits } = startIngest();

    await clock.advance(19_999);
    assert.equal(program.probe?.(readiness), undefined);
    assert.equal(await drainState(), "notOffered");
    await clock.advance(1);
    assert.equal(program.probe?.(readiness), 200);
    assert.equal(program.probe?.({ port: 9092, path: undefined }), 200);
    assert.equal(program.probe?.({ port: 1, path: undefined }), undefined);
    assert.equal(await drainState(), "idle");
    program.terminate();
    assert.equal(program.probe?.(readiness), undefined);
    await clock.advance(4_999);
    assert.deepEqual(exits, []);
    await clock.advance(1);
    assert.deepEqual(exits, [{ exitCode: 0 }]);
  });

  it("drain in the given time", async () => {
    const { clock, program, drainState, startDrain } = startIngest();

    await clock.advance(20_000);
    await startDrain();
    await clock.advance(29_999);
    assert.equal(await drainState(), "draining");
    await clock.advance(1);
    assert.equal(await drainState(), "drained");
    program.kill();
  });

  it("never become ready or never drain on request", async () => {
    const { clock, components, program, drainState, startDrain } = startIngest({ isNeverReady: () => true });

    await clock.advance(20_000);
    components.stopDrains();
    await startDrain();
    await clock.advance(600_000);

    assert.equal(program.probe?.(readiness), 503);
    assert.equal(program.probe?.({ port: componentPort, path: "/healthz" }), 200);
    assert.equal(await drainState(), "draining");
    program.kill();
  });

  it("run for containers with the name of a component, whatever their image is", () => {
    const { model } = localComponents(options);
    const container = (name: string) =>
      modelContainer({ name, image: "registry.example.com/kafka:4" }).context.container;

    assert.deepEqual(
      ["controller", "ingest", "search", "main"].map((name) => model.runs(container(name))),
      [true, true, true, false],
    );
  });
});
