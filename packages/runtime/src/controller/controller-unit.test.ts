import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defineController } from "./define-controller.ts";
import { applied, created, managed, watched } from "../kinds/kinds.ts";
import { desired } from "../managed/desired.ts";
import { SettledSets } from "../managed/settled-sets.ts";
import { Operator, Page, Settings, Site } from "../testing/sample-operator.ts";

describe("a controller", () => {
  it("reconciles existing objects when it starts to lead, and changed objects afterwards", async () => {
    const seen: string[] = [];
    const sites = defineController({
      for: Site,
      async reconcile({ object, why }) {
        seen.push(`${object.metadata.name} ${object.spec.text} (${why.join(", ")})`);
      },
    });
    await using operator = new Operator(sites);
    operator.api.put(Site, "default/a", { spec: { text: "1" } });
    operator.api.put(Site, "default/b", { spec: { text: "1" } });

    await operator.lead();
    operator.api.edit(Site, "default/a", { spec: { text: "2" } });
    await operator.settle();

    assert.deepEqual(seen, ["a 1 (initial list)", "b 1 (initial list)", "a 2 (update Site default/a)"]);
  });

  it("creates owned objects and writes the status without being triggered by its own writes", async () => {
    let reconciles = 0;
    const sites = defineController({
      for: Site,
      owns: { pages: applied(Page) },
      async reconcile({ object, owned, setStatus, setCondition }) {
        reconciles += 1;
        await owned.pages.apply({ metadata: { name: "index" }, spec: { text: object.spec.text } });
        setStatus({ pages: owned.pages.list().length });
        setCondition("Ready", { status: true, reason: "Made" });
      },
    });
    await using operator = new Operator(sites);
    await operator.lead();

    operator.api.put(Site, "default/a", { spec: { text: "hello" } });
    await operator.settle();
    await operator.clock.advance(60_000);

    assert.deepEqual(operator.api.writes, ["PATCH pages default/index", "PATCH sites/status default/a"]);
    assert.equal(reconciles, 1);
    assert.deepEqual(operator.api.get(Page, "default/index")?.["spec"], { text: "hello" });
    const { pages, conditions } = Object(operator.api.get(Site, "default/a")?.["status"]);
    assert.equal(pages, 1);
    assert.equal(conditions[0].observedGeneration, 1);
  });

  it("builds a managed set again only after a change, and forgets the set with its primary object", async (test) => {
    const forget = test.mock.method(SettledSets.prototype, "forget");
    let reconciles = 0;
    let builds = 0;
    const sites = defineController({
      for: Site,
      owns: { pages: managed(Page) },
      ownership: { inventory: false },
      async reconcile({ object, managed: objects }) {
        reconciles += 1;
        const result = await objects.sync(
          () => {
            builds += 1;
            const page = desired(Page, { metadata: { name: "index" }, spec: { text: object.spec.text } });
            return [{ name: "pages", objects: [page] }];
          },
          { inputs: "" },
        );
        result.throwIfFailed();
        return { requeueAfterMs: 60_000 };
      },
    });
    await using operator = new Operator(sites);
    operator.api.put(Site, "default/a", { spec: { text: "1" } });
    await operator.lead();

    for (let minute = 0; minute < 5; minute += 1) await operator.clock.advance(60_000);
    assert.deepEqual([reconciles, builds], [6, 2]);

    operator.api.edit(Page, "default/index", { spec: { text: "drift" } });
    await operator.settle();
    assert.deepEqual(operator.api.get(Page, "default/index")?.["spec"], { text: "1" });
    assert.ok(builds > 2);
    await operator.clock.advance(60_000);
    const settledAfter = builds;
    for (let minute = 0; minute < 3; minute += 1) await operator.clock.advance(60_000);
    assert.equal(builds, settledAfter);

    operator.api.remove(Site, "default/a");
    await operator.settle();
    assert.deepEqual(
      forget.mock.calls.map(({ arguments: [key] }) => key),
      ["default/a"],
    );
  });

  it("reconciles a change by another client that happens at the same time as its own write", async () => {
    const texts: string[] = [];
    const sites = defineController({
      for: Site,
      async reconcile({ object, setStatus }) {
        texts.push(object.spec.text);
        setStatus({ pages: texts.length });
      },
    });
    await using operator = new Operator(sites);
    operator.api.put(Site, "default/a", { spec: { text: "1" } });
    operator.api.onWrite = (write) => {
      if (write === "PATCH sites/status default/a" && texts.length === 1) {
        operator.api.onWrite = () => undefined;
        operator.api.hold();
        operator.api.edit(Site, "default/a", { metadata: { labels: { by: "another" } }, spec: { text: "2" } });
      }
      return undefined;
    };

    await operator.lead();
    await operator.clock.advance(100);
    operator.api.release();
    await operator.clock.advance(100);

    assert.equal(texts.at(-1), "2");
    assert.ok(texts.length <= 3, texts.join());
    const status: unknown = operator.api.get(Site, "default/a")?.["status"];
    assert.deepEqual(status, { pages: texts.length });
  });

  it("corrects owned objects that another client changes or deletes", async () => {
    const sites = defineController({
      for: Site,
      owns: { pages: applied(Page) },
      async reconcile({ object, owned }) {
        await owned.pages.apply({ metadata: { name: "index" }, spec: { text: object.spec.text } });
      },
    });
    await using operator = new Operator(sites);
    operator.api.put(Site, "default/a", { spec: { text: "right" } });
    await operator.lead();

    operator.api.edit(Page, "default/index", { spec: { text: "wrong" } });
    await operator.settle();
    const repaired: unknown = operator.api.get(Page, "default/index")?.["spec"];
    operator.api.remove(Page, "default/index");
    await operator.settle();

    assert.deepEqual(repaired, { text: "right" });
    assert.deepEqual(operator.api.get(Page, "default/index")?.["spec"], { text: "right" });
  });

  it("returns the last state of a deleted object to its owner only, even if it was deleted before the term", async () => {
    const seen = new Map<string, unknown>();
    const sites = defineController({
      for: Site,
      owns: { pages: created(Page, { remembersDeleted: true }), settings: created(Settings) },
      async reconcile({ name, owned }) {
        const { spec } = owned.pages.lastOf("p") ?? {};
        seen.set(name, [spec?.text, owned.settings.lastOf("p")]);
      },
    });
    await using operator = new Operator(sites);
    const { metadata } = operator.api.put(Site, "default/a", { spec: { text: "a" } });
    operator.api.put(Site, "default/b", { spec: { text: "b" } });
    const own = { apiVersion: "example.com/v1", kind: "Site", name: "a", uid: metadata.uid, controller: true };
    operator.api.put(Page, "default/p", { metadata: { ownerReferences: [own] }, spec: { text: "the last" } });
    await operator.settle();
    operator.api.remove(Page, "default/p");
    await operator.settle();

    await operator.lead();

    assert.deepEqual(seen.get("a"), ["the last", undefined]);
    assert.deepEqual(seen.get("b"), [undefined, undefined]);
  });

  it("does nothing and logs it when the object does not exist", async () => {
    let reconciles = 0;
    const sites = defineController({
      for: Site,
      watches: { settings: watched(Settings, { map: () => ["absent"] }) },
      async reconcile() {
        reconciles += 1;
      },
    });
    await using operator = new Operator(sites);
    operator.api.put(Settings, "default/s", {});

    await operator.lead();

    assert.equal(reconciles, 0);
    assert.deepEqual(
      operator.lines.map(({ level, message, name }) => [level, message, name]),
      [["debug", "Object not found, likely deleted", "absent"]],
    );
  });

  it("records events with the reportingController of the definition", async () => {
    const sites = defineController({
      for: Site,
      reportingController: "sites-controller",
      async reconcile({ event }) {
        event({ reason: "Seen", note: "It was seen" });
      },
    });
    await using operator = new Operator(sites);
    operator.api.put(Site, "default/a", { spec: { text: "a" } });

    await operator.lead();

    assert.deepEqual(
      operator.events.map(({ reportingController }) => reportingController),
      ["sites-controller"],
    );
  });

  it("drops repeated events of a generation or within a time", async () => {
    const sites = defineController({
      for: Site,
      async reconcile({ object, event }) {
        event({ reason: "Invalid", note: "wrong", once: "generation" });
        event({ reason: "Repaired", note: object.spec.text, once: 60_000 });
        event({ reason: "Joined", note: object.spec.text, once: { noteMs: 60_000 } });
        return { requeueAfterMs: 30_000 };
      },
    });
    const notes = (): readonly string[] => operator.events.map(({ reason, note }) => `${reason} ${note}`);
    await using operator = new Operator(sites);
    const advance = async (ms: number): Promise<void> => {
      await operator.clock.advance(ms);
      await operator.settle();
    };
    operator.api.put(Site, "default/a", { spec: { text: "a" } });
    await operator.lead();
    const first = notes();
    await advance(30_000);
    const soon = notes();
    await advance(31_000);
    const later = notes();
    operator.api.put(Site, "default/a", { spec: { text: "b" } });
    await advance(100);

    assert.deepEqual(first, ["Invalid wrong", "Repaired a", "Joined a"]);
    assert.deepEqual(soon, first);
    assert.deepEqual(later, [...first, "Repaired a", "Joined a"]);
    assert.deepEqual(notes(), [...later, "Invalid wrong", "Joined b"]);
  });

  it("reconciles the old and the new owner when the owner changes, but not a recreated owner of the same name", async () => {
    const seen: string[] = [];
    const sites = defineController({
      for: Site,
      owns: { pages: created(Page) },
      async reconcile({ object, why }) {
        seen.push(`${object.metadata.name}: ${why.join()}`);
      },
    });
    const reference = (name: string, uid: string): object => ({
      apiVersion: "example.com/v2",
      kind: "Site",
      name,
      uid,
      controller: true,
    });
    await using operator = new Operator(sites);
    const a = operator.api.put(Site, "default/a", { spec: { text: "" } });
    const b = operator.api.put(Site, "default/b", { spec: { text: "" } });
    const own = (name: string, uid = ""): { metadata: { ownerReferences: object[] } } => ({
      metadata: { ownerReferences: [reference(name, uid)] },
    });
    operator.api.put(Page, "default/p", own("a", a.metadata.uid));
    await operator.lead();
    seen.length = 0;

    operator.api.edit(Page, "default/p", own("b", b.metadata.uid));
    await operator.settle();
    operator.api.edit(Page, "default/p", own("b", "an earlier one"));
    await operator.settle();
    operator.api.edit(Page, "default/p", { spec: { text: "x" } });
    await operator.settle();
    operator.api.edit(Page, "default/p", {
      metadata: { ownerReferences: [{ ...reference("b", b.metadata.uid ?? ""), apiVersion: "other.com/v1" }] },
    });
    await operator.settle();

    assert.deepEqual(seen, ["b: update Page default/p", "a: update Page default/p", "b: update Page default/p"]);
  });

  it("maps watched objects by their old and new state, and continues when a callback throws", async () => {
    const seen: string[] = [];
    const sites = defineController({
      for: Site,
      indexes: { config: (site) => site.spec.config },
      watches: {
        settings: watched(Settings, {
          when: ({ object }) => {
            if (object.metadata.name === "odd") throw new Error("predicate");
            return object.metadata.name !== "dull";
          },
          map: (settings, cache) => {
            if (settings.data?.["throw"] !== undefined) throw new Error("map");
            const found = cache.by(Site, "config", settings.metadata.name ?? "");
            return [...found.map(({ metadata: { name } }) => name), ...(settings.data?.["also"]?.split(",") ?? [])];
          },
        }),
      },
      async reconcile({ object }) {
        seen.push(object.metadata.name ?? "");
      },
    });
    await using operator = new Operator(sites);
    operator.api.put(Site, "default/a", { spec: { text: "", config: "main" } });
    operator.api.put(Site, "default/b", { spec: { text: "" } });
    operator.api.put(Site, "default/c", { spec: { text: "", config: "odd" } });
    operator.api.put(Settings, "default/main", { data: { also: "b" } });
    await operator.lead();
    seen.length = 0;
    const change = async (key: string, data: Record<string, string | null>): Promise<string[]> => {
      if (operator.api.get(Settings, key) === undefined) operator.api.put(Settings, key, { data });
      else operator.api.edit(Settings, key, { data });
      await operator.settle();
      return seen.splice(0);
    };

    const moved = await change("default/main", { also: "default/c" });
    const dull = await change("default/dull", { also: "b" });
    const odd = await change("default/odd", { x: "y" });
    const broken = await change("default/main", { throw: "it" });

    assert.deepEqual(moved, ["a", "c", "b"]);
    assert.deepEqual(dull, []);
    assert.deepEqual(odd, ["c"]);
    assert.deepEqual(broken, ["a", "c"], "mapped by the old object");
    assert.equal(operator.metric('homeostat_follow_errors_total{controller="sites"}'), 2);
    assert.equal(operator.logged(/^Controller callback threw$/).length, 2);
  });

  it("reconciles everything in a new term, and leaves nothing running after a term", async () => {
    const seen: string[] = [];
    const sites = defineController({
      for: Site,
      async reconcile({ object }) {
        seen.push(object.metadata.name ?? "");
      },
    });
    await using operator = new Operator(sites);
    operator.api.put(Site, "default/a", { spec: { text: "" } });
    await operator.lead();

    await operator.stop();
    operator.api.edit(Site, "default/a", { spec: { text: "unseen" } });
    operator.api.put(Site, "default/b", { spec: { text: "" } });
    await operator.settle();
    const between = seen.splice(0);
    const pending = operator.clock.pending;
    await operator.lead();

    assert.deepEqual(between, ["a"]);
    assert.equal(operator.unit.queue()?.counts.running, 0);
    assert.deepEqual(seen, ["a", "b"]);
    assert.ok(pending <= 1, `only the watch of the cache: ${pending}`);
  });

  it("reconciles different objects concurrently, but never one object twice at a time", async () => {
    let running = 0;
    let peak = 0;
    const busy = new Set<string>();
    const sites = defineController({
      for: Site,
      concurrency: 2,
      async reconcile({ key, clock }) {
        assert.ok(!busy.has(key));
        busy.add(key);
        running += 1;
        peak = Math.max(peak, running);
        await clock.sleep(10);
        running -= 1;
        busy.delete(key);
      },
    });
    await using operator = new Operator(sites);
    for (const name of ["a", "b", "c"]) operator.api.put(Site, `default/${name}`, { spec: { text: "" } });
    await operator.lead();

    for (const text of ["1", "2", "3"]) {
      operator.api.edit(Site, "default/a", { spec: { text } });
      await operator.clock.advance(3);
    }
    await operator.clock.advance(100);

    assert.equal(peak, 2);
    assert.equal(operator.lines.length, 0);
    assert.equal(operator.metric('controller_runtime_max_concurrent_reconciles{controller="sites"}'), 2);
    assert.equal(operator.metric('controller_runtime_active_workers{controller="sites"}'), 0);
  });
});
