import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { apiErrorFrom, DeadlineError, TerminalError, TransientError } from "@homeostat/core";
import { LeadershipLostError } from "../election/errors.ts";
import { defineController } from "./define-controller.ts";
import { desired } from "../managed/desired.ts";
import { applied, created, managed, watched as watches } from "../kinds/kinds.ts";
import { FakeApi } from "../testing/controller-api.ts";
import { Operator, Page, Settings, Site } from "../testing/sample-operator.ts";

const conflict = (): Error =>
  apiErrorFrom({ status: 409, body: { kind: "Status", reason: "Conflict", message: "the object has been modified" } });

describe("a reconcile", () => {
  it("is retried with backoff, and receives the number of failures and the last error", async () => {
    const seen: unknown[] = [];
    let isWell = false;
    const sites = defineController({
      for: Site,
      async reconcile({ failures, lastError }) {
        seen.push([failures, lastError instanceof Error ? lastError.message : lastError]);
        if (!isWell) throw new Error(`no ${failures}`);
      },
    });
    await using operator = new Operator(sites);
    operator.api.put(Site, "default/a", { spec: { text: "" } });
    await operator.lead();
    await operator.clock.advance(5);
    await operator.clock.advance(10);
    isWell = true;
    await operator.clock.advance(1000);
    operator.api.edit(Site, "default/a", { spec: { text: "new" } });
    await operator.settle();

    assert.deepEqual(seen, [
      [0, undefined],
      [1, "no 0"],
      [2, "no 1"],
      [3, "no 2"],
      [0, undefined],
    ]);
    assert.equal(operator.metric('controller_runtime_reconcile_errors_total{controller="sites"}'), 3);
    assert.equal(operator.metric('controller_runtime_reconcile_total{controller="sites",result="success"}'), 2);
    assert.equal(operator.logged(/^Reconcile failed$/).length, 3);
    const results = operator.history.explain("sites", "default/a").reconciles.map(({ result }) => result);
    assert.deepEqual(results, ["done", "done", "failed", "failed", "failed"]);
  });

  it("resets its backoff when the spec changes, and waits at least as long as the retryAfter of an error", async () => {
    const attempts: number[] = [];
    const sites = defineController({
      for: Site,
      async reconcile({ object, failures }) {
        attempts.push(failures);
        throw object.spec.text === "slow" ? new TransientError("later", { retryAfterMs: 3000 }) : new Error("no");
      },
    });
    await using operator = new Operator(sites);
    operator.api.put(Site, "default/a", { spec: { text: "" } });
    await operator.lead();
    await operator.clock.advance(100);
    const before = attempts.splice(0);

    operator.api.edit(Site, "default/a", { spec: { text: "slow" } });
    await operator.clock.advance(2999);
    const soon = [...attempts];
    await operator.clock.advance(1);

    assert.deepEqual(before.slice(0, 3), [0, 1, 2]);
    assert.deepEqual(soon, [0]);
    assert.deepEqual(attempts, [0, 1]);
  });

  it("is repeated after requeueAfterMs", async () => {
    let reconciles = 0;
    const sites = defineController({
      for: Site,
      async reconcile() {
        reconciles += 1;
        return reconciles < 3 ? { requeueAfterMs: 1000 } : undefined;
      },
    });
    await using operator = new Operator(sites);
    operator.api.put(Site, "default/a", { spec: { text: "" } });
    await operator.lead();
    const next = operator.history.explain("sites", "default/a");

    await operator.clock.advance(10_000);

    assert.equal(reconciles, 3);
    assert.equal(next.reconciles[0]?.nextReconcileAt, operator.clock.now() - 10_000 + 1000);
    assert.deepEqual(next.now, {
      state: "delayed",
      at: next.reconciles[0]?.nextReconcileAt,
      attempt: 1,
      reasons: ["requeue"],
    });
    assert.equal(operator.metric('controller_runtime_reconcile_total{controller="sites",result="requeue_after"}'), 2);
  });

  it("waits a millisecond before a requeue without delay, so that the event loop turns", async () => {
    let reconciles = 0;
    const sites = defineController({
      for: Site,
      async reconcile() {
        reconciles += 1;
        return reconciles < 1000 ? { requeueAfterMs: 0 } : undefined;
      },
    });
    await using operator = new Operator(sites);
    operator.api.put(Site, "default/a", { spec: { text: "" } });
    await operator.lead();
    const before = reconciles;
    await operator.clock.advance(10);

    assert.equal(before, 1);
    assert.equal(reconciles, 11);
  });

  it("does not log or count conflicts as errors", async () => {
    let reconciles = 0;
    const sites = defineController({
      for: Site,
      async reconcile() {
        reconciles += 1;
        if (reconciles === 1) throw conflict();
      },
    });
    await using operator = new Operator(sites);
    operator.api.put(Site, "default/a", { spec: { text: "" } });
    await operator.lead();
    await operator.clock.advance(1000);

    assert.equal(reconciles, 2);
    assert.deepEqual(
      operator.lines.map(({ level }) => level),
      ["info"],
    );
    assert.equal(operator.metric('controller_runtime_reconcile_errors_total{controller="sites"}'), 0);
    assert.equal(operator.metric('controller_runtime_reconcile_total{controller="sites",result="requeue"}'), 1);
  });

  it("shows a terminal error, and waits for a new spec or an event of an owned object", async () => {
    const texts: string[] = [];
    const sites = defineController({
      for: Site,
      owns: { pages: applied(Page) },
      errorCondition: "Valid",
      async reconcile({ object, owned, setStatus, lastError, failures }) {
        texts.push(`${object.spec.text} ${failures} ${lastError instanceof TerminalError}`);
        await owned.pages.apply({ metadata: { name: "p" }, spec: { text: "" } });
        setStatus({ pages: 1 });
        if (object.spec.text === "bad") throw new TerminalError({ reason: "BadText", message: "it is bad" });
      },
    });
    await using operator = new Operator(sites);
    operator.api.put(Site, "default/a", { spec: { text: "bad" } });
    await operator.lead();
    await operator.clock.advance(2_000_000);
    operator.api.edit(Site, "default/a", { metadata: { labels: { a: "b" } } });
    await operator.settle();
    const alone = texts.splice(0);
    const state = operator.history.explain("sites", "default/a").now;
    operator.api.edit(Page, "default/p", { status: { isUp: true } });
    await operator.settle();
    const woken = texts.splice(0);
    const shown = Object(operator.api.get(Site, "default/a")?.["status"]);
    operator.api.edit(Site, "default/a", { spec: { text: "good" } });
    await operator.settle();

    assert.deepEqual(alone, ["bad 0 false"]);
    assert.deepEqual(woken, ["bad 1 true"]);
    assert.deepEqual(texts, ["good 0 false"]);
    assert.deepEqual(state, { state: "idle", reasons: [], held: { why: "terminal" } });
    assert.equal(shown.pages, 1, "what was set before the error is written, too");
    assert.equal(shown.conditions[0].type, "Valid");
    assert.deepEqual([shown.conditions[0].status, shown.conditions[0].reason], ["False", "BadText"]);
    const { conditions } = Object(operator.api.get(Site, "default/a")?.["status"]);
    assert.deepEqual([conditions[0].status, conditions[0].observedGeneration], ["True", 2]);
    assert.deepEqual(operator.events.map(({ type, reason, note }) => [type, reason, note])[0], [
      "Warning",
      "BadText",
      "it is bad",
    ]);
    assert.equal(operator.metric('controller_runtime_terminal_reconcile_errors_total{controller="sites"}'), 2);
  });

  it("fails when the reconciler throws synchronously, or throws a value that is not an Error", async () => {
    let reconciles = 0;
    const thrown: unknown[] = [];
    const sites = defineController({
      for: Site,
      // oxlint-disable-next-line typescript/promise-function-async -- the test needs a synchronous throw
      reconcile({ lastError }) {
        reconciles += 1;
        thrown.push(lastError);
        if (reconciles === 1) throw new Error("at once");
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the test needs a value that is not an Error
        return reconciles === 2 ? Promise.reject("text") : Promise.resolve();
      },
    });
    await using operator = new Operator(sites);
    operator.api.put(Site, "default/a", { spec: { text: "" } });
    await operator.lead();
    await operator.clock.advance(1000);

    assert.equal(reconciles, 3);
    assert.deepEqual([String(thrown[1]), thrown[2]], ["Error: at once", "text"]);
    assert.equal(operator.metric('controller_runtime_reconcile_panics_total{controller="sites"}'), 2);
  });

  it("fails when its status cannot be written, and keeps the error of the reconciler if both fail", async () => {
    const errors: string[] = [];
    let isBad = false;
    const sites = defineController({
      for: Site,
      async reconcile({ setStatus, lastError, object }) {
        errors.push(String(lastError));
        setStatus({ pages: errors.length });
        if (object.spec.text === "bad" && isBad) throw new Error("the first");
      },
    });
    await using operator = new Operator(sites);
    operator.api.onWrite = (write) => (write.includes("status") ? new Error("no status") : undefined);
    operator.api.put(Site, "default/a", { spec: { text: "" } });
    await operator.lead();
    await operator.clock.advance(6);
    const after = errors.splice(0);
    isBad = true;
    operator.api.edit(Site, "default/a", { spec: { text: "bad" } });
    await operator.settle();
    await operator.clock.advance(6);

    assert.deepEqual(after.slice(0, 2), ["undefined", "Error: no status"]);
    assert.deepEqual(errors.slice(0, 2), ["undefined", "Error: the first"]);
    assert.ok(operator.logged(/^Failed to write status after a failed reconcile$/).length > 0);
  });

  it("ends at its deadline, and still writes its status", async () => {
    const reasons: unknown[] = [];
    const sites = defineController({
      for: Site,
      timeoutMs: 5000,
      async reconcile({ signal, clock, setStatus }) {
        setStatus({ pages: 7 });
        try {
          await clock.sleep(Infinity, signal);
        } finally {
          reasons.push(signal.reason);
        }
      },
    });
    await using operator = new Operator(sites);
    operator.api.put(Site, "default/a", { spec: { text: "" } });
    await operator.lead();
    await operator.clock.advance(5000);

    assert.ok(reasons[0] instanceof DeadlineError);
    assert.deepEqual(operator.api.get(Site, "default/a")?.["status"], { pages: 7 });
    assert.equal(operator.metric('controller_runtime_reconcile_timeouts_total{controller="sites"}'), 1);
    assert.equal(operator.metric('homeostat_ignored_signals_total{controller="sites"}'), 0);
    assert.equal(operator.history.explain("sites", "default/a").reconciles[0]?.error?.code, "DEADLINE");
  });

  it("blocks its object but not its worker when it ignores its signal", async () => {
    const seen: string[] = [];
    let release = (): void => undefined;
    const sites = defineController({
      for: Site,
      timeoutMs: 1000,
      async reconcile({ object }) {
        seen.push(object.metadata.name ?? "");
        if (object.metadata.name === "a" && seen.length === 1) {
          await new Promise<void>((resolve) => {
            release = resolve;
          });
        }
      },
    });
    await using operator = new Operator(sites);
    operator.api.put(Site, "default/a", { spec: { text: "" } });
    operator.api.put(Site, "default/b", { spec: { text: "" } });
    await operator.lead();
    await operator.clock.advance(1999);
    const before = [...seen];
    await operator.clock.advance(1);
    operator.api.edit(Site, "default/a", { spec: { text: "again" } });
    await operator.clock.advance(60_000);
    const during = [...seen];
    const reported = operator.history.explain("sites", "default/a").reconciles[0]?.result;
    release();
    await operator.clock.advance(1000);

    assert.deepEqual(before, ["a"]);
    assert.deepEqual(during, ["a", "b"], "b is done, a is still running");
    assert.deepEqual(seen, ["a", "b", "a"]);
    assert.equal(reported, "stuck");
    assert.equal(operator.metric('homeostat_ignored_signals_total{controller="sites"}'), 1);
    assert.equal(operator.metric('controller_runtime_reconcile_errors_total{controller="sites"}'), 1);
    assert.equal(operator.logged(/^Reconcile is stuck/).length, 1);
  });

  it("abandons a limited number of stuck reconciles, and never reconciles an object twice at a time", async () => {
    let running = 0;
    const sites = defineController({
      for: Site,
      timeoutMs: 1000,
      concurrency: 2,
      async reconcile() {
        running += 1;
        await new Promise<void>((resolve) => {
          release.push(resolve);
        });
        running -= 1;
      },
    });
    const release: (() => void)[] = [];
    await using operator = new Operator(sites);
    for (let i = 0; i < 9; i += 1) operator.api.put(Site, `default/s${i}`, { spec: { text: "" } });
    await operator.lead();
    await operator.clock.advance(60_000);
    const hanging = running;
    for (let round = 0; round < 10; round += 1) {
      for (const resolve of release.splice(0)) resolve();
      await operator.settle();
    }
    operator.requestStop();
    for (const resolve of release.splice(0)) resolve();
    await operator.stop();

    assert.equal(hanging, 4, "two abandoned reconciles, and two that occupy their workers");
    assert.equal(running, 0);
  });

  it("blocks the controller when stuck reconciles occupy every worker, until one of them returns", async () => {
    const release: (() => void)[] = [];
    const sites = defineController({
      for: Site,
      timeoutMs: 1000,
      concurrency: 2,
      reconcile: () => new Promise<void>((resolve) => void release.push(resolve)),
    });
    await using operator = new Operator(sites);
    for (let i = 0; i < 9; i += 1) operator.api.put(Site, `default/s${i}`, { spec: { text: "" } });
    await operator.lead();
    const stuckMetric = (): number | undefined => operator.metric('homeostat_stuck_reconciles{controller="sites"}');

    await operator.clock.advance(2000);
    assert.equal(operator.unit.blocked(), undefined, "two reconciles are abandoned, and both workers are free");
    assert.equal(stuckMetric(), 2);
    await operator.clock.advance(2000);

    assert.deepEqual(
      operator.unit.blocked()?.map(({ runningMs }) => runningMs),
      [4000, 4000, 2000, 2000],
    );
    assert.equal(stuckMetric(), 4);
    const [line, ...others] = operator.logged(/^All workers are stuck, no object is reconciled$/);
    assert.deepEqual(others, []);
    assert.match(String(line?.["stuck"]), /^default\/s\d for 4 s, default\/s\d for 4 s, default\/s\d for 2 s, /);
    release.pop()?.();
    await operator.settle();
    assert.equal(operator.unit.blocked(), undefined);
    assert.equal(stuckMetric(), 3);

    for (let round = 0; round < 10; round += 1) {
      for (const resolve of release.splice(0)) resolve();
      await operator.settle();
    }
    assert.equal(stuckMetric(), 0);
  });

  it("does not block the controller any more when its term is stopping", async () => {
    const release: (() => void)[] = [];
    const sites = defineController({
      for: Site,
      timeoutMs: 1000,
      reconcile: () => new Promise<void>((resolve) => void release.push(resolve)),
    });
    await using operator = new Operator(sites);
    for (const name of ["a", "b"]) operator.api.put(Site, `default/${name}`, { spec: { text: "" } });
    await operator.lead();
    await operator.clock.advance(4000);
    assert.equal(operator.unit.blocked()?.length, 2);

    operator.requestStop();

    assert.equal(operator.unit.blocked(), undefined);
    for (const resolve of release.splice(0)) resolve();
    await operator.stop();
  });

  it("writes its status on saveStatus, and later changes at its end", async () => {
    const versions: (string | undefined)[] = [];
    const sites = defineController({
      for: Site,
      async reconcile({ setStatus, saveStatus, setCondition, all, key }) {
        setStatus({ pages: 1 });
        await saveStatus();
        versions.push(all.get(key)?.metadata.resourceVersion);
        setStatus((status) => ({ pages: (status?.pages ?? 0) + 1 }));
        setCondition("Ready", { status: "Unknown", reason: "Waiting" });
      },
    });
    await using operator = new Operator(sites);
    operator.api.put(Site, "default/a", { spec: { text: "" } });
    await operator.lead();

    assert.deepEqual(operator.api.writes, ["PATCH sites/status default/a", "PATCH sites/status default/a"]);
    assert.equal(Object(operator.api.get(Site, "default/a")?.["status"]).conditions.length, 1);
    assert.notEqual(versions[0], operator.api.get(Site, "default/a")?.metadata.resourceVersion);
  });

  it("supports many concurrent listeners of its signal", async () => {
    const warnings: string[] = [];
    const hear = ({ message }: Error): void => void warnings.push(message);
    process.on("warning", hear);
    const sites = defineController({
      for: Site,
      async reconcile({ clock, signal }) {
        await Promise.all(Array.from({ length: 20 }, () => clock.sleep(1, signal)));
      },
    });
    await using operator = new Operator(sites);
    operator.api.put(Site, "default/a", { spec: { text: "" } });
    await operator.lead();
    await operator.clock.advance(10);
    process.off("warning", hear);

    assert.deepEqual(warnings, []);
    assert.equal(operator.metric('controller_runtime_reconcile_total{controller="sites",result="success"}'), 1);
  });

  it("does not start in a term that has already been stopped", async () => {
    let reconciles = 0;
    const sites = defineController({
      for: Site,
      async reconcile() {
        reconciles += 1;
      },
    });
    await using operator = new Operator(sites);
    operator.api.put(Site, "default/a", { spec: { text: "" } });
    await operator.settle();

    await operator.unit.lead({ stop: new AbortController().signal, abort: AbortSignal.abort() });
    await operator.unit.lead({ stop: AbortSignal.abort(), abort: new AbortController().signal });

    assert.equal(reconciles, 0);
  });

  it("is aborted with its term without counting as a failure, and the term waits for it", async () => {
    const lost = new LeadershipLostError({ lease: "l", why: "taken" });
    const reasons: unknown[] = [];
    const sites = defineController({
      for: Site,
      async reconcile({ signal, clock, setStatus }) {
        setStatus({ pages: 1 });
        try {
          await clock.sleep(Infinity, signal);
        } catch (error) {
          reasons.push(error);
          await clock.sleep(100);
          throw error;
        }
      },
    });
    await using operator = new Operator(sites);
    operator.api.put(Site, "default/a", { spec: { text: "" } });
    await operator.lead();

    operator.requestAbort(lost);
    await operator.settle();
    const whileEnding = operator.unit.queue()?.counts.running;
    await operator.clock.advance(100);
    await operator.stop();

    assert.deepEqual(reasons, [lost]);
    assert.equal(whileEnding, 1);
    assert.equal(operator.unit.queue(), undefined);
    assert.deepEqual(operator.api.writes, []);
    assert.equal(operator.metric('controller_runtime_reconcile_errors_total{controller="sites"}'), 0);
    assert.deepEqual(
      operator.logged(/^Reconcile aborted, controller is stopping$/).map(({ level }) => level),
      ["info"],
    );
  });

  it("may finish when its controller stops, and no other starts", async () => {
    const seen: string[] = [];
    const sites = defineController({
      for: Site,
      async reconcile({ object, clock, signal, setStatus }) {
        seen.push(object.metadata.name ?? "");
        await clock.sleep(100, signal);
        setStatus({ pages: 1 });
      },
    });
    await using operator = new Operator(sites);
    operator.api.put(Site, "default/a", { spec: { text: "" } });
    operator.api.put(Site, "default/b", { spec: { text: "" } });
    await operator.lead();

    operator.requestStop();
    await operator.clock.advance(100);
    await operator.stop();

    assert.deepEqual(seen, ["a"]);
    assert.deepEqual(operator.api.writes, ["PATCH sites/status default/a"]);
  });

  it("adds the finalizer before its first write, and removes it after the cleanup", async () => {
    let cleanups = 0;
    const sites = defineController({
      for: Site,
      owns: { pages: created(Page, { deletes: true }) },
      finalizer: "example.com/pages",
      async reconcile({ owned }) {
        await owned.pages.create({ metadata: { name: "p" }, spec: { text: "" } });
      },
      async cleanup({ owned, setStatus }) {
        cleanups += 1;
        setStatus({ pages: 0 });
        if (cleanups === 1) throw new Error("not yet");
        if (cleanups === 2) return { requeueAfterMs: 10 };
        await owned.pages.delete("p");
        return "done";
      },
    });
    await using operator = new Operator(sites);
    await operator.lead();
    operator.api.put(Site, "default/a", { spec: { text: "" } });
    await operator.settle();
    const made = operator.api.writes.splice(0);
    operator.api.remove(Site, "default/a");
    await operator.settle();
    const kept = operator.api.get(Site, "default/a");
    await operator.clock.advance(1000);

    assert.deepEqual(made, ["PATCH sites default/a", "POST pages default/"]);
    assert.deepEqual(kept?.metadata.finalizers, ["example.com/pages"]);
    assert.deepEqual(operator.api.writes, [
      "PATCH sites/status default/a",
      "DELETE pages default/p",
      "PATCH sites default/a",
    ]);
    assert.equal(operator.api.get(Site, "default/a"), undefined);
    assert.equal(operator.api.list(Page).length, 0);
    assert.equal(cleanups, 3);
  });

  it("cleans up once when events of owned objects arrive before that of the deletion", async () => {
    const api = new FakeApi([Site, Page, Settings]);
    const names = Array.from({ length: 20 }, (_, at) => `site-${at}`);
    const cleanups: string[] = [];
    const sites = defineController({
      for: Site,
      owns: { pages: created(Page) },
      finalizer: "example.com/pages",
      async reconcile({ object, owned }) {
        await owned.pages.create({ metadata: { name: object.metadata.name }, spec: { text: "" } });
      },
      async cleanup({ object }) {
        cleanups.push(object.metadata.name);
        // From here on, the watch of the sites is behind that of the pages.
        api.hold(Site);
        return "done";
      },
    });
    await using operator = new Operator(sites, { api });
    await operator.lead();
    for (const name of names) operator.api.put(Site, `default/${name}`, { spec: { text: "" } });
    await operator.settle();
    for (const name of names) operator.api.remove(Site, `default/${name}`);
    await operator.settle();

    // The garbage collector deletes the pages.
    for (const name of names) operator.api.edit(Page, `default/${name}`, { spec: { text: "changed" } });
    await operator.settle();
    for (const name of names) operator.api.remove(Page, `default/${name}`);
    await operator.settle();
    operator.api.release();
    await operator.settle();

    assert.deepEqual(cleanups.toSorted(), names.toSorted());
    assert.deepEqual(operator.api.list(Site), []);
    const releases = operator.api.writes.filter((write) => write.startsWith("PATCH sites "));
    assert.equal(releases.length, 2 * names.length, "one patch adds the finalizer and one removes it");
    const { reconciles: runs } = operator.history.explain("sites", "default/site-0");
    assert.deepEqual(
      runs[0]?.writes.map(({ verb, resource, result, fields }) => ({ verb, resource, result, fields })),
      [{ verb: "patch", resource: "sites.example.com", result: "written", fields: ["metadata.finalizers"] }],
    );
  });

  it("records Warning events with growing intervals when the cleanup keeps failing", async () => {
    const sites = defineController({
      for: Site,
      finalizer: "example.com/pages",
      retry: { baseMs: 1000, capMs: 1000 },
      async reconcile() {
        throw new Error("not a cleanup");
      },
      async cleanup() {
        throw new Error("the backend is unreachable");
      },
    });
    await using operator = new Operator(sites);
    await operator.lead();
    operator.api.put(Site, "default/a", { spec: { text: "" } });
    await operator.clock.advance(10_000);
    const before = [...operator.events];
    operator.api.remove(Site, "default/a");
    await operator.settle();
    await operator.clock.advance(1_200);
    const early = [...operator.events];

    await operator.clock.advance(30_000);

    assert.deepEqual([before, early], [[], []], "neither failed reconciles nor the first failures of a cleanup");
    assert.equal(operator.events.length, 4, "after 3, 6, 12 and 24 failures");
    for (const { type, reason, note, object } of operator.events) {
      assert.equal(object.metadata.name, "a");
      assert.deepEqual([type, reason], ["Warning", "CleanupFailed"]);
      assert.equal(note, "Cleanup keeps failing, so the object is not deleted: the backend is unreachable");
    }
  });

  it("replaces a former finalizer, and removes it from an object that is already being deleted", async () => {
    const sites = defineController({
      for: Site,
      finalizer: "example.com/pages",
      formerFinalizers: ["old.com/pages"],
      async reconcile() {},
      async cleanup() {
        return "done";
      },
    });
    await using operator = new Operator(sites);
    operator.api.put(Site, "default/a", { metadata: { finalizers: ["old.com/pages"] }, spec: { text: "" } });
    operator.api.put(Site, "default/b", { metadata: { finalizers: ["old.com/pages"] }, spec: { text: "" } });
    operator.api.remove(Site, "default/b");
    await operator.lead();
    await operator.settle();

    assert.deepEqual(operator.api.get(Site, "default/a")?.metadata.finalizers, ["example.com/pages"]);
    assert.equal(operator.api.get(Site, "default/b"), undefined);
  });

  it("leaves the finalizer to a reconciler that adds it itself, and calls the cleanup of objects that have it", async () => {
    const cleaned: string[] = [];
    const sites = defineController({
      for: Site,
      finalizer: "example.com/pages",
      addsFinalizer: false,
      async reconcile() {},
      async cleanup({ name }) {
        cleaned.push(name);
        return "done";
      },
    });
    await using operator = new Operator(sites);
    operator.api.put(Site, "default/a", { spec: { text: "" } });
    operator.api.put(Site, "default/b", { metadata: { finalizers: ["example.com/pages"] }, spec: { text: "" } });
    operator.api.remove(Site, "default/b");
    await operator.lead();
    await operator.settle();

    assert.equal(operator.api.get(Site, "default/a")?.metadata.finalizers, undefined);
    assert.deepEqual(cleaned, ["b"]);
    assert.equal(operator.api.get(Site, "default/b"), undefined);
  });

  it("skips an object that is being deleted without its finalizer", async () => {
    let reconciles = 0;
    const sites = defineController({
      for: Site,
      finalizer: "example.com/pages",
      async reconcile() {
        reconciles += 1;
      },
      async cleanup() {
        reconciles += 1;
        return "done";
      },
    });
    await using operator = new Operator(sites);
    operator.api.put(Site, "default/a", { metadata: { finalizers: ["other.com/x"] }, spec: { text: "" } });
    operator.api.remove(Site, "default/a");
    await operator.lead();

    assert.equal(reconciles, 0);
    assert.deepEqual(operator.api.writes, []);
  });

  it("loses its failure state when its object is deleted, independent of the predicate", async () => {
    let reconciles = 0;
    const sites = defineController({
      for: Site,
      when: ({ type }) => type !== "delete",
      async reconcile() {
        reconciles += 1;
        throw new Error("no");
      },
    });
    await using operator = new Operator(sites);
    operator.api.put(Site, "default/a", { spec: { text: "" } });
    await operator.lead();
    await operator.clock.advance(100);
    const before = reconciles;

    operator.api.remove(Site, "default/a");
    await operator.settle();
    const state = operator.unit.queue()?.counts;
    await operator.clock.advance(2_000_000);

    assert.ok(before > 2);
    assert.equal(reconciles, before);
    assert.deepEqual(state, { waiting: 0, delayed: 0, running: 0 });
  });

  it("cannot set a status that its controller does not write", async () => {
    const pages = defineController({
      for: Page,
      async reconcile({ setStatus }) {
        setStatus({ isUp: true });
      },
    });
    await using operator = new Operator(pages);
    operator.api.put(Page, "default/p", { spec: { text: "" } });
    await operator.lead();

    assert.match(String(operator.lines[0]?.["error"]), /writesStatus: true/);
    assert.deepEqual(operator.api.writes, []);
  });

  it("of a changed object comes before those of the initial list", async () => {
    const seen: string[] = [];
    const sites = defineController({
      for: Site,
      async reconcile({ object, clock }) {
        seen.push(object.metadata.name ?? "");
        await clock.sleep(10);
      },
    });
    await using operator = new Operator(sites);
    for (let i = 0; i < 20; i += 1) operator.api.put(Site, `default/s${i}`, { spec: { text: "" } });
    await operator.lead();
    operator.api.put(Site, "default/fresh", { spec: { text: "" } });
    await operator.clock.advance(1000);

    assert.equal(seen.length, 21);
    assert.ok(seen.indexOf("fresh") <= 2, seen.join());
  });

  it("is delayed when it writes the same values repeatedly against another client", async () => {
    let reconciles = 0;
    const sites = defineController({
      for: Site,
      owns: { pages: applied(Page) },
      async reconcile({ owned }) {
        reconciles += 1;
        await owned.pages.apply({ metadata: { name: "p" }, spec: { text: "mine" } });
      },
    });
    await using operator = new Operator(sites, { hotLoops: { holdMsMin: 10_000 } });
    operator.api.put(Site, "default/a", { spec: { text: "" } });
    await operator.lead();
    for (let round = 0; round < 50; round += 1) {
      operator.api.edit(Page, "default/p", { spec: { text: "theirs" } });
      await operator.clock.advance(100);
    }
    const fast = reconciles;
    const { now } = operator.history.explain("sites", "default/a");
    await operator.clock.advance(10_000);

    assert.ok(fast < 10, `${fast} reconciles`);
    assert.equal(now?.held?.why, "hot-loop");
    assert.equal(now?.state, "delayed");
    assert.ok(reconciles > fast, "events during the delay are not lost");
    assert.ok(operator.metric('homeostat_hot_loops_total{controller="sites"}') >= 1);
    const warning = operator.events.find(({ reason }) => reason === "HotLoop");
    assert.match(warning?.note ?? "", /spec\.text/);
    assert.match(warning?.note ?? "", /pages\.example\.com default\/p/);
    assert.match(warning?.note ?? "", /other-client/);
  });

  it("has the same ID in logs, events, history, spans and requests", async () => {
    let id = "";
    const sites = defineController({
      for: Site,
      async reconcile(context) {
        ({ id } = context);
        context.log.info("here");
        context.setStatus({ pages: 1 });
        context.event({ reason: "Made", note: "a secret" });
      },
    });
    await using operator = new Operator(sites);
    operator.api.put(Site, "default/a", { spec: { text: "" } });
    await operator.lead();

    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.deepEqual(operator.api.ids, [id]);
    assert.deepEqual(operator.lines, [
      { controller: "sites", namespace: "default", name: "a", reconcileID: id, level: "info", message: "here" },
    ]);
    assert.deepEqual(operator.events[0]?.annotations, { "homeostat.dev/reconcile-id": id });
    const object = { controller: "sites", kind: "Site", namespace: "default", name: "a", generation: 1 };
    const fields = { ...object, attempt: 1, why: "initial list", reconcileID: id, result: "done" };
    assert.deepEqual(operator.spans, [
      { name: "reconcile Site", fields, failures: [] },
      { name: "status", fields: { step: "status" }, failures: [] },
    ]);
    const [record] = operator.history.explain("sites", "default/a").reconciles;
    assert.equal(record?.id, id);
    assert.deepEqual(record?.events, [{ type: "Normal", reason: "Made" }]);
    assert.deepEqual(
      record?.writes.map(({ verb, resource, key, result }) => [verb, resource, key, result]),
      [["patch", "sites.example.com/status", "default/a", "written"]],
    );
    assert.ok(!JSON.stringify(record).includes("secret"));
  });

  it("has a span for each step, and records an error in the step, and with its class in the reconcile", async () => {
    const failure = new TerminalError({ reason: "Bad", message: "bad" });
    const sites = defineController({
      for: Site,
      finalizer: "example.com/sites",
      async reconcile({ step }) {
        const text = await step("read", () => "text");
        await step("write", () => {
          if (text === "text") throw failure;
        });
      },
      async cleanup() {
        return "done";
      },
    });
    await using operator = new Operator(sites);
    operator.api.put(Site, "default/a", { spec: { text: "" } });
    await operator.lead();

    const spans = operator.spans.map(({ name, fields, failures }) => [name, fields["error.class"], failures]);
    assert.deepEqual(spans.slice(0, 4), [
      ["reconcile Site", "permanent", [failure]],
      ["finalizer", undefined, []],
      ["read", undefined, []],
      ["write", undefined, [failure]],
    ]);
    assert.equal(operator.spans[0]?.fields["result"], "terminal");
  });
});

describe("the record of a reconcile", () => {
  const page = (text: string) => ({ metadata: { name: "main" }, spec: { text } });

  it("has the reads with their source, steps, and decisions", async () => {
    const sites = defineController({
      for: Site,
      owns: { pages: applied(Page) },
      watches: { settings: watches(Settings, { indexes: { theme: ({ data }) => data?.["theme"] } }) },
      async reconcile({ object, owned, watched, cache, client, all, step, setCondition, recordDecision }) {
        await step("observe", () => {
          watched.settings.get("default/main");
          cache.list(Settings, { namespace: "default", labels: "a=b" });
          watched.settings.by("theme", "dark");
          all.has("default/other");
          owned.pages.list();
        });
        await client.get(Settings, { namespace: "default", name: "live" });
        await client.list(Settings, { namespace: "default" });
        await owned.pages.apply(page(object.spec.text));
        setCondition("Ready", { status: true, reason: "Reconciled", message: "secret" });
        recordDecision("gate", "closed");
        recordDecision("gate", "open");
      },
    });
    await using operator = new Operator(sites);
    operator.api.put(Settings, "default/main", { data: { theme: "dark" } });
    operator.api.put(Site, "default/a", { spec: { text: "1" } });
    await operator.lead();

    const { reconciles } = operator.history.explain("sites", "default/a");

    const first = reconciles.at(-1);
    const settings = { verb: "get", resource: "settings", source: "cache", reads: 1, objects: 1 };
    assert.deepEqual(first?.reads?.slice(0, 2), [
      { ...settings, of: ["default/main"] },
      { ...settings, verb: "list", of: ["all in default with a=b", "index theme=dark"], reads: 2 },
    ]);
    const texts = first?.reads?.slice(2).map(({ verb, resource, source, of }) => [verb, resource, source, of]);
    assert.deepEqual(texts, [
      ["get", "sites.example.com", "cache", ["default/other", "default/a"]],
      ["list", "pages.example.com", "cache", ["owned objects"]],
      ["get", "settings", "live", ["default/live"]],
      ["list", "settings", "live", ["all in default"]],
      ["get", "pages.example.com", "cache", ["default/main"]],
      ["get", "pages.example.com", "live", ["default/main"]],
    ]);
    assert.deepEqual(
      first?.steps?.map(({ name }) => name),
      ["observe"],
    );
    assert.deepEqual(first?.decisions, [
      { about: "condition Ready", result: "none → True (Reconciled)" },
      { about: "gate", result: "open" },
    ]);
    assert.ok(!JSON.stringify(reconciles).includes("secret"));
  });

  it("lists corrected drift of managed objects and of the reconciler, with the field manager", async () => {
    const sites = defineController({
      for: Site,
      owns: { pages: managed(Page) },
      ownership: { inventory: false },
      async reconcile({ object, managed: set, recordDrift }) {
        await set.sync([{ name: "pages", objects: [desired(Page, page("right"))] }]);
        if (object.spec.text === "2")
          recordDrift({ object: "Namespace a", fields: ["metadata.labels"], managers: [], wasDeleted: false });
      },
    });
    await using operator = new Operator(sites);
    operator.api.put(Site, "default/a", { spec: { text: "1" } });
    await operator.lead();
    operator.api.edit(Page, "default/main", { spec: { text: "wrong" } });
    await operator.settle();
    operator.api.edit(Site, "default/a", { spec: { text: "2" } });
    await operator.settle();

    const { drifts = [], reconciles } = operator.history.explain("sites", "default/a");

    assert.deepEqual(
      drifts.map(({ object, fields, managers, wasDeleted }) => [object, fields, managers, wasDeleted]),
      [
        ["Namespace a", ["metadata.labels"], [], false],
        ["Page default/main", ["spec.text"], ["other-client"], false],
      ],
    );
    assert.deepEqual(
      reconciles.slice(-2).map(({ decisions }) => decisions?.map(({ about, result }) => [about, result])),
      [[["managed objects", "1 corrected"]], [["managed objects", "1 created"]]],
    );
  });

  it("has no reads, steps and decisions if nothing shows them", async () => {
    const sites = defineController({
      for: Site,
      async reconcile({ all, step, recordDecision }) {
        await step("observe", () => all.has("default/other"));
        recordDecision("gate", "open");
      },
    });
    await using operator = new Operator(sites, { recordsDetails: false });
    operator.api.put(Site, "default/a", { spec: { text: "1" } });
    await operator.lead();

    const [record] = operator.history.explain("sites", "default/a").reconciles;

    assert.equal(record?.result, "done");
    assert.deepEqual([record?.reads, record?.steps, record?.decisions], [undefined, undefined, undefined]);
  });
});
