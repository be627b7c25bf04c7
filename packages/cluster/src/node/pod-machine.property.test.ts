import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Container, Probe } from "@homeostat/kubernetes/core/v1";
import { type Behaviour, container, MachineBench, podOf } from "../testing/machine-bench.ts";

const probe: fc.Arbitrary<Probe> = fc.constant({ exec: { command: ["x"] }, periodSeconds: 2, failureThreshold: 2 });
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });

const someContainer = (name: string): fc.Arbitrary<Container> =>
  fc
    .record({ readiness: maybe(probe), liveness: maybe(probe), startup: maybe(probe) })
    .map(({ readiness, liveness, startup }) =>
      container(name, {
        ...(readiness === undefined ? {} : { readinessProbe: readiness }),
        ...(liveness === undefined ? {} : { livenessProbe: liveness }),
        ...(startup === undefined ? {} : { startupProbe: startup }),
      }),
    );

const behaviour: fc.Arbitrary<Behaviour> = fc
  .record({
    runs: fc.array(fc.record({ exitCode: fc.constantFrom(0, 1, 137), afterMs: fc.integer({ min: 0, max: 40_000 }) }), {
      maxLength: 3,
    }),
    heeds: fc.boolean(),
    healthyUntil: fc.integer({ min: 0, max: 60_000 }),
  })
  .map(({ runs, heeds, healthyUntil }) => ({
    runs,
    ...(heeds ? { onTerm: { exitCode: 0, afterMs: 50 } } : {}),
    probe: (_kind, ageMs) => ageMs < healthyUntil,
  }));

const story = fc.record({
  restartPolicy: fc.constantFrom("Always", "OnFailure", "Never"),
  init: maybe(someContainer("init")),
  side: maybe(someContainer("side")),
  main: someContainer("main"),
  other: maybe(someContainer("other")),
  behaviours: fc.record({ init: behaviour, side: behaviour, main: behaviour, other: behaviour }),
  deleteAfterMs: maybe(fc.integer({ min: 0, max: 120_000 })),
  deadlineSeconds: maybe(fc.integer({ min: 1, max: 100 })),
});

describe("the state machine of any pod", () => {
  it("keeps its invariants whatever its containers do", () => {
    fc.assert(
      fc.property(story, (told) => {
        const { restartPolicy, init, side, main, other, behaviours, deleteAfterMs, deadlineSeconds } = told;
        const initContainers = [
          ...(side === undefined ? [] : [{ ...side, restartPolicy: "Always" }]),
          ...(init === undefined ? [] : [init]),
        ];
        const pod = podOf({
          restartPolicy,
          terminationGracePeriodSeconds: 2,
          containers: [main, ...(other === undefined ? [] : [other])],
          ...(initContainers.length === 0 ? {} : { initContainers }),
          ...(deadlineSeconds === undefined ? {} : { activeDeadlineSeconds: deadlineSeconds }),
        });
        const bench = new MachineBench(pod, { behaviours });
        const observed: { phase: string; restarts: number }[] = [];
        const observe = (): void => {
          const { status } = bench.machine;
          const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
          observed.push({ phase: status?.phase ?? "", restarts: all.reduce((sum, one) => sum + one.restartCount, 0) });
          for (const { state, ready } of all)
            assert.ok(!ready || state?.waiting === undefined, "a waiting container is not ready");
        };

        for (let time = 0; time < 180_000; time += 3_000) {
          if (deleteAfterMs !== undefined && deleteAfterMs >= time && deleteAfterMs < time + 3_000) bench.delete(2);
          bench.pass(3_000);
          observe();
          assert.ok(bench.machine.dueAt > bench.now, "the next due time is in the future");
        }

        for (const [index, { phase, restarts }] of observed.entries()) {
          const before = observed[index - 1];
          if (before === undefined) continue;
          assert.ok(restarts >= before.restarts, "the restart count never decreases");
          if (before.phase === "Succeeded" || before.phase === "Failed")
            assert.equal(phase, before.phase, "a terminal phase never changes");
          if (before.phase === "Running") assert.notEqual(phase, "Pending", "a running pod never becomes pending");
        }
        if (deleteAfterMs !== undefined) assert.ok(bench.isRemoved, "a deleted pod is removed");
        const starts = bench.effects.filter((effect) => effect.do === "start" && effect.container === "main").length;
        assert.ok(starts <= 12, "restarts are limited by back-off");
      }),
      { numRuns: 100, seed: 7 },
    );
  });
});
