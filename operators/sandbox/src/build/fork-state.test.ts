import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deflateRawSync } from "node:zlib";
import { app, deployment, service } from "../testing/fork-baselines.ts";
import { forkInput } from "../testing/fork-cases.ts";
import { type DerivedFork, deriveFork } from "./derive-fork.ts";
import { forkAtStep, readForkState, type StepInput } from "./fork-state.ts";
import { forkAnnotations } from "./metadata.ts";
import { isRefusal } from "./refusal.ts";
import { packFork, readStoredFork } from "./stored-fork.ts";
import type { ForkDeployment } from "./unpatched-fork.ts";

const nowMs = Date.UTC(2026, 0, 1);
const { sandbox } = forkInput({ baseline: { kind: "Deployment", object: deployment() }, services: [] });

function derive(image: string): DerivedFork {
  const object = deployment({ spec: { containers: [{ ...app, image }] } });
  const services = [service("cart")];
  const fork = deriveFork(forkInput({ baseline: { kind: "Deployment", object }, services, entry: { replicas: 2 } }));
  assert.ok(!isRefusal(fork));
  return fork;
}

const [first, second] = [derive("shop/cart:1"), derive("shop/cart:2")];
const place = { sandbox, name: first.name, namespace: "shop" };

function at(step: Parameters<typeof forkAtStep>[0], input: Partial<StepInput>): ForkDeployment {
  const fork = forkAtStep(step, {
    place,
    live: undefined,
    replicas: 2,
    derived: undefined,
    baselineHash: undefined,
    nowMs,
    ...input,
  });
  assert.ok(fork !== undefined);
  return fork;
}

function imageOf({ spec }: ForkDeployment): string | undefined {
  return spec.template.spec.containers[0]?.image;
}

describe("the Deployment of a step", () => {
  const created = at("create", { derived: first });
  const rebased = at("rebase", { derived: second, live: created });

  it("records what it was derived from", () => {
    const state = readForkState(created);

    assert.deepEqual(state.current?.forkedFrom, first.forkedFrom);
    assert.equal(state.current?.templateHash, first.templateHash);
    assert.equal(state.current?.inputHash, first.inputHash);
    assert.deepEqual(state.current?.body, first.body);
    assert.equal(state.previous, undefined);
    assert.deepEqual(created.spec.template, first.deployment.spec.template);
  });

  it("keeps the template before a rebase", () => {
    const state = readForkState(rebased);

    assert.equal(imageOf(rebased), "shop/cart:2");
    assert.equal(state.rebasedAtMs, nowMs);
    assert.equal(state.previous?.templateHash, first.templateHash);
    assert.equal(rebased.metadata.annotations?.[forkAnnotations.templateHash], second.templateHash);
  });

  it("forgets the template before a rebase that has succeeded, and keeps its time", () => {
    const settled = at("settle", { live: rebased });

    assert.equal(imageOf(settled), "shop/cart:2");
    assert.equal(readForkState(settled).previous, undefined);
    assert.equal(readForkState(settled).rebasedAtMs, nowMs);
  });

  it("returns to the template before a rebase that has failed, and records the baseline", () => {
    const reverted = at("revert", { live: rebased, baselineHash: "b2" });
    const state = readForkState(reverted);

    assert.deepEqual(reverted.spec, created.spec);
    assert.equal(reverted.metadata.annotations?.[forkAnnotations.templateHash], first.templateHash);
    assert.equal(state.failedRebase, "b2");
    assert.equal(state.previous, undefined);
    assert.deepEqual(state.current?.forkedFrom, first.forkedFrom);
  });

  it("keeps its template and state, and takes other replicas", () => {
    const kept = at("keep", { live: rebased, replicas: 0 });

    assert.deepEqual(kept, { ...rebased, spec: { ...rebased.spec, replicas: 0 } });
  });

  it("corrects a template that another client has changed while the fork stays behind its baseline", () => {
    const edited = { ...created, spec: { ...created.spec, template: second.deployment.spec.template } };

    assert.deepEqual(at("keep", { live: edited }), created);
  });

  it("is unknown if the template to apply is not kept", () => {
    const lost = { ...created, metadata: { ...created.metadata, annotations: {} } };
    const input: StepInput = { place, live: lost, replicas: 1, derived: second, baselineHash: "b", nowMs };

    assert.equal(forkAtStep("keep", input), undefined);
    assert.equal(forkAtStep("revert", input), undefined);
    const rebase = forkAtStep("rebase", input);
    assert.ok(rebase !== undefined);
    assert.ok(readForkState(rebase).previous !== undefined);
    assert.equal(readForkState(rebase).previous?.body, undefined);
  });

  it("keeps no more than 64 KiB of a template", () => {
    // Random text cannot be compressed.
    let seed = 1;
    const next = (): string => String((seed = (seed * 48_271) % 2_147_483_647));
    const env = Array.from({ length: 4_000 }, (_, i) => ({
      name: `V${i}`,
      value: Array.from({ length: 6 }, next).join(""),
    }));
    const object = deployment({ spec: { containers: [{ ...app, env }] } });
    const large = deriveFork(forkInput({ baseline: { kind: "Deployment", object }, services: [] }));
    assert.ok(!isRefusal(large));

    const packed = packFork(large);

    assert.ok(packed.length < 1024, `${packed.length} bytes`);
    assert.ok(packFork(first).length < 4096, `${packFork(first).length} bytes of a small fork`);
    assert.equal(readStoredFork(packed)?.templateHash, large.templateHash);
    assert.equal(readStoredFork(packed)?.body, undefined);
  });

  it("ignores annotations that the operator has not written", () => {
    const { body: _, ...hashes } = { ...JSON.parse(packFork(first)) };
    const bomb = deflateRawSync(Buffer.alloc(8 * 1024 * 1024)).toString("base64");
    const changed = deflateRawSync(JSON.stringify(second.body)).toString("base64");

    for (const text of ["", "{", "null", "[]", '{"templateHash":1}', "x".repeat(70_000)]) {
      assert.equal(readStoredFork(text), undefined, text.slice(0, 20));
    }
    for (const body of ["", "%%%", "AAAA", bomb, changed]) {
      const stored = readStoredFork(JSON.stringify({ ...hashes, body }));

      assert.equal(stored?.templateHash, first.templateHash);
      assert.equal(stored.body, undefined, body.slice(0, 20));
    }
  });
});
