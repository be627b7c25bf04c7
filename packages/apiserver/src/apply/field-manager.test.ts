import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, type JsonRecord } from "@homeostat/core";
import { type SeededRandom, fuzz } from "@homeostat/fuzz";
import fc from "fast-check";
import type { Applied } from "./applied.ts";
import { clock, manager, owners, start, statusManager } from "../testing/field-managers.ts";
import { managedFieldsOf } from "./object-managed-fields.ts";

function applied(result: Applied): JsonRecord {
  assert.equal(result.failure, undefined, result.failure?.message);
  return result.object ?? assert.fail();
}

function apply(
  live: JsonRecord | undefined,
  by: string,
  spec: unknown,
  { force = false, metadata = {} }: { force?: boolean; metadata?: JsonRecord } = {},
): Applied {
  const config = { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "a", ...metadata }, spec };
  return manager().apply({ live, config, manager: by, force });
}

describe("a first apply", () => {
  it("creates the object and owns all fields of the configuration", () => {
    const object = applied(apply(undefined, "alpha", { replicas: 1, ports: [{ port: 80 }] }));

    assert.deepEqual(owners(object), {
      "alpha Apply": [
        ".spec.replicas",
        '.spec.ports[port=80,protocol="TCP"]',
        '.spec.ports[port=80,protocol="TCP"].port',
      ],
    });
    assert.deepEqual(object["spec"], { replicas: 1, ports: [{ port: 80 }] });
  });

  it("assigns untracked fields to before-first-apply", () => {
    const { metadata: _, ...rest } = start({ replicas: 1, text: "a" });
    const live = { ...rest, metadata: { name: "a", uid: "u" } };

    const result = apply(live, "alpha", { replicas: 2 });

    assert.equal(
      result.failure?.message,
      'Apply failed with 1 conflict: conflict with "before-first-apply" using example.com/v1: .spec.replicas',
    );
  });

  it("has a time in whole seconds", () => {
    const [entry] = managedFieldsOf(applied(apply(undefined, "alpha", { replicas: 1 })));

    assert.deepEqual(entry, {
      manager: "alpha",
      operation: "Apply",
      apiVersion: "example.com/v1",
      time: "2026-01-01T00:00:00Z",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:spec": { "f:replicas": {} } },
    });
  });
});

describe("an apply", () => {
  it("is refused with field and owner if it would change a field of another manager", () => {
    const live = applied(apply(undefined, "alpha", { replicas: 1 }));

    const { failure } = apply(live, "beta", { replicas: 2 });

    assert.equal(failure?.code, 409);
    assert.equal(failure.message, 'Apply failed with 1 conflict: conflict with "alpha": .spec.replicas');
    assert.deepEqual(failure.causes, [
      { reason: "FieldManagerConflict", message: 'conflict with "alpha"', field: ".spec.replicas" },
    ]);
  });

  it("lists all fields and owners in order", () => {
    const first = applied(apply(undefined, "beta", { text: "a", map: { x: "1" } }));
    const object = { ...first, spec: { text: "a", map: { x: "1" }, replicas: 1 } };
    const live = manager().update({ live: first, object, manager: "alpha" });

    const { failure } = apply(live, "gamma", { text: "b", map: { x: "2" }, replicas: 2 });

    assert.equal(
      failure?.message,
      'Apply failed with 3 conflicts: conflicts with "alpha" using example.com/v1:\n- .spec.replicas\nconflicts with "beta":\n- .spec.text\n- .spec.map.x',
    );
  });

  it("shows large numbers of keys as the server does: those from a field set with an exponent", () => {
    const first = applied(apply(undefined, "alpha", { ports: [{ port: 1_000_000, name: "a" }] }));
    const { managedFields: _, ...metadata } = first["metadata"] as JsonRecord;
    const untracked = { ...first, metadata: { ...metadata, uid: "u" } };

    const tracked = apply(first, "beta", { ports: [{ port: 1_000_000, name: "b" }] });
    const fresh = apply(untracked, "beta", { ports: [{ port: 1_000_000, name: "b" }] });

    assert.equal(tracked.failure?.causes[0]?.field, '.spec.ports[port=1e+06,protocol="TCP"].name');
    assert.equal(fresh.failure?.causes[0]?.field, '.spec.ports[port=1000000,protocol="TCP"].name');
  });

  it("takes the field if forced", () => {
    const live = applied(apply(undefined, "alpha", { replicas: 1, text: "a" }));

    const object = applied(apply(live, "beta", { replicas: 2 }, { force: true }));

    assert.deepEqual(owners(object), { "alpha Apply": [".spec.text"], "beta Apply": [".spec.replicas"] });
  });

  it("shares a field whose value it does not change", () => {
    const live = applied(apply(undefined, "alpha", { replicas: 1 }));

    const object = applied(apply(live, "beta", { replicas: 1 }));

    assert.deepEqual(owners(object), { "alpha Apply": [".spec.replicas"], "beta Apply": [".spec.replicas"] });
  });

  it("removes fields that it omits and no other manager owns", () => {
    const one = applied(apply(undefined, "alpha", { replicas: 1, text: "a", ports: [{ port: 80 }, { port: 81 }] }));
    const two = applied(apply(one, "beta", { text: "a", ports: [{ port: 81 }] }));

    const object = applied(apply(two, "alpha", { replicas: 1 }));

    assert.deepEqual(object["spec"], { replicas: 1, text: "a", ports: [{ port: 81 }] });
  });

  it("keeps the time if it changes nothing", async () => {
    const live = applied(apply(undefined, "alpha", { replicas: 1 }));
    const later = new FakeClock({ now: clock.now() + 60_000 });
    const config = { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "a" }, spec: { replicas: 1 } };

    const object = applied(manager({ clock: later }).apply({ live, config, manager: "alpha", force: false }));

    assert.deepEqual(object, live);
  });

  it("is refused for another kind and for a configuration with managedFields", () => {
    const config = { apiVersion: "example.com/v2", kind: "Thing", metadata: {} };
    const managed = { apiVersion: "example.com/v1", kind: "Thing", metadata: { managedFields: [] } };

    const other = manager().apply({ live: undefined, config, manager: "a", force: false });
    const own = manager().apply({ live: undefined, config: managed, manager: "a", force: false });

    assert.equal(other.failure?.message, "invalid object type: example.com/v2, Kind=Thing");
    assert.equal(own.failure?.message, "metadata.managedFields must be nil");
    assert.equal(own.failure?.code, 400);
  });

  it("is refused if the configuration does not match the schema", () => {
    const { failure } = apply(undefined, "alpha", { nothing: 1 });

    assert.equal(failure?.code, 500);
    assert.equal(
      failure.message,
      "failed to create typed patch object (/a; example.com/v1, Kind=Thing): .spec.nothing: field not declared in schema",
    );
  });

  it("never owns fields that identify the object", () => {
    const metadata = { namespace: "default", uid: "u", resourceVersion: "1", generation: 2, labels: { a: "b" } };

    const object = applied(apply(undefined, "alpha", {}, { metadata }));

    assert.deepEqual(owners(object), { "alpha Apply": [".spec", ".metadata.labels.a"] });
  });
});

describe("an update", () => {
  it("owns the fields it changes and takes them from others", () => {
    const live = applied(apply(undefined, "alpha", { replicas: 1, text: "a", map: { x: "1" } }));

    const object = manager().update({
      live,
      object: { ...live, spec: { replicas: 2, map: { y: "2" } } },
      manager: "beta",
    });

    assert.deepEqual(owners(object), {
      "beta Update": [".spec.replicas", ".spec.map.y"],
    });
  });

  it("does not start tracking of an object without managers", () => {
    const live = { ...start({ replicas: 1 }), metadata: { name: "a", uid: "u" } };

    const object = manager().update({ live, object: { ...live, spec: { replicas: 2 } }, manager: "beta" });

    assert.deepEqual(managedFieldsOf(object), []);
  });

  for (const managedFields of [[], [{}]]) {
    it(`clears the managers if the client sends ${JSON.stringify(managedFields)}`, () => {
      const live = start({ replicas: 1 });

      const object = manager().update({
        live,
        object: { ...live, metadata: { name: "a", uid: "u", managedFields } },
        manager: "beta",
      });

      assert.deepEqual(managedFieldsOf(object), []);
    });
  }

  it("keeps the managers if the client sends unreadable ones", () => {
    const live = start({ replicas: 1 });
    const managedFields = [{ manager: "x", operation: "Steal", apiVersion: "example.com/v1", fieldsType: "FieldsV1" }];

    const object = manager().update({
      live,
      object: { ...live, metadata: { name: "a", managedFields } },
      manager: "b",
    });

    assert.deepEqual(managedFieldsOf(object), managedFieldsOf(live));
  });

  it("can set the managers", () => {
    const live = start({ replicas: 1 });
    const managedFields = [
      {
        manager: "x",
        operation: "Apply",
        apiVersion: "example.com/v1",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:spec": { "f:text": {} } },
      },
    ];

    const object = manager().update({
      live,
      object: { ...live, metadata: { name: "a", managedFields } },
      manager: "b",
    });

    assert.deepEqual(owners(object), { "x Apply": [".spec.text"] });
  });

  it("succeeds without managedFields if the object does not match the schema", () => {
    const live = start({ replicas: 1 });

    const object = manager().update({ live, object: { ...live, spec: { replicas: "x", nothing: 1 } }, manager: "b" });

    assert.deepEqual(managedFieldsOf(object), []);
    assert.deepEqual(object["spec"], { replicas: "x", nothing: 1 });
  });

  it("merges the oldest entries if there are more than ten", () => {
    let object = start({});
    for (let n = 0; n < 13; n += 1) {
      const time = new FakeClock({ now: clock.now() + n * 1_000 });
      const map = { ...(object["spec"] as { map?: JsonRecord }).map, [`k${n}`]: "v" };
      object = manager({ clock: time }).update({
        live: object,
        object: { ...object, spec: { map } },
        manager: `m${n}`,
      });
    }

    const names = Object.keys(owners(object));

    assert.equal(names.length, 10);
    assert.equal(names[0], "ancient-changes Update");
    assert.equal(owners(object)["ancient-changes Update"]?.includes(".spec.map.k2"), true);
    assert.equal(names.includes("m3 Update"), false);
  });
});

describe("the status endpoint", () => {
  it("owns only fields of the status", () => {
    const live = start({ replicas: 1 });
    const written = { ...live, spec: { replicas: 9 }, status: { ready: 1 } };

    const main = manager().update({ live, object: written, manager: "alpha" });
    const status = statusManager().update({ live, object: written, manager: "beta" });

    assert.deepEqual(owners(main)["alpha Update"], [".spec.replicas"]);
    assert.deepEqual(owners(status)["beta Update status"], [".status", ".status.ready"]);
  });

  it("is named in conflicts", () => {
    const live = start({ replicas: 1 });
    const owned = statusManager().update({ live, object: { ...live, status: { ready: 1 } }, manager: "beta" });
    const config = { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "a" }, status: { ready: 2 } };

    const { failure } = statusManager().apply({ live: owned, config, manager: "alpha", force: false });

    assert.equal(
      failure?.message,
      'Apply failed with 1 conflict: conflict with "beta" with subresource "status" using example.com/v1: .status.ready',
    );
  });
});

describe("versions of field managers", () => {
  it("are dropped with their fields if the version no longer exists", () => {
    const live = start({ replicas: 1 });
    const removedVersion = {
      manager: "old",
      operation: "Apply",
      apiVersion: "example.com/v0",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:spec": { "f:replicas": {} } },
    };
    const withRemovedVersion = {
      ...live,
      metadata: { name: "a", uid: "u", managedFields: [removedVersion, ...managedFieldsOf(live)] },
    };

    const object = applied(apply(withRemovedVersion, "starter", { replicas: 1 }));

    assert.equal(Object.keys(owners(object)).includes("old Apply"), false);
  });

  it("share one Apply entry, but have separate Update entries", () => {
    const one = applied(apply(undefined, "alpha", { replicas: 1 }));
    const inTwo = manager({ version: "v2" });
    const config = { apiVersion: "example.com/v2", kind: "Thing", metadata: { name: "a" }, spec: { text: "a" } };
    const live = { ...one, apiVersion: "example.com/v2" };

    const two = applied(inTwo.apply({ live, config, manager: "alpha", force: false }));

    assert.deepEqual(owners(two), { "alpha Apply": [".spec.text"] });
    assert.deepEqual(two["spec"], { text: "a" });
  });
});

describe("an object from client-side apply", () => {
  const annotation = "kubectl.kubernetes.io/last-applied-configuration";
  const config = { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "a" }, spec: { replicas: 1 } };
  const live = start({ replicas: 1 }, { [annotation]: JSON.stringify(config) });

  it("is taken over by kubectl without a conflict, and its annotation is updated", () => {
    const object = applied(apply(live, "kubectl", { replicas: 5 }));

    const metadata = object["metadata"] as { annotations: JsonRecord };
    assert.deepEqual(owners(object)["kubectl Apply"], [".spec.replicas"]);
    assert.equal(
      metadata.annotations[annotation],
      '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"replicas":5}}\n',
    );
  });

  it("is not taken over by another manager", () => {
    assert.equal(apply(live, "other", { replicas: 5 }).failure?.code, 409);
  });

  it("keeps the owner of a field that changed since", () => {
    const changed = manager().update({ live, object: { ...live, spec: { replicas: 3 } }, manager: "scaler" });

    assert.equal(
      apply(changed, "kubectl", { replicas: 5 }).failure?.message,
      'Apply failed with 1 conflict: conflict with "scaler" using example.com/v1: .spec.replicas',
    );
  });
});

describe("random applies", () => {
  const small = fc.record(
    {
      replicas: fc.nat(2),
      text: fc.constantFrom("a", "b"),
      map: fc.dictionary(fc.constantFrom("x", "y", "__proto__"), fc.constantFrom("1", "2")),
      set: fc.uniqueArray(fc.constantFrom("a", "b", "c")),
      ports: fc.uniqueArray(fc.record({ port: fc.nat(2), name: fc.constantFrom("p", "q") }), {
        selector: ({ port }) => port,
      }),
      open: fc.dictionary(fc.constantFrom("x", "y"), fc.jsonValue({ maxDepth: 2 })),
    },
    { requiredKeys: [] },
  );

  it("give the same object and owners when repeated", () => {
    fc.assert(
      fc.property(small, small, (one, two) => {
        const live = applied(apply(undefined, "alpha", one));
        const object = applied(apply(live, "beta", two, { force: true }));

        assert.deepEqual(applied(apply(object, "beta", two)), object);
      }),
    );
  });

  it("remove all fields that only the applying manager owned when its configuration is empty", () => {
    fc.assert(
      fc.property(small, (one) => {
        const live = start({});
        const object = applied(apply(live, "alpha", one, { force: true }));

        const { spec, ...rest } = applied(apply(object, "alpha", undefined));

        assert.deepEqual(owners({ ...rest, spec })["alpha Apply"], undefined);
        assert.deepEqual(Object.keys(rest), ["apiVersion", "kind", "metadata"]);
      }),
    );
  });

  it("do not depend on the order of two managers with different fields", () => {
    const left = small.map(({ replicas, map }) => ({
      ...(replicas === undefined ? {} : { replicas }),
      ...(map === undefined ? {} : { map }),
    }));
    const right = small.map(({ text, ports }) => ({
      ...(text === undefined ? {} : { text }),
      ...(ports === undefined ? {} : { ports }),
    }));
    fc.assert(
      fc.property(left, right, (one, two) => {
        const alphaFirst = applied(apply(applied(apply(start({}), "alpha", one)), "beta", two));
        const betaFirst = applied(apply(applied(apply(start({}), "beta", two)), "alpha", one));

        assert.deepEqual(alphaFirst, betaFirst);
      }),
    );
  });

  it("never throw for malformed objects", () => {
    const subject = manager();
    const object = start({ replicas: 1, ports: [{ port: 80 }], map: { x: "1" }, set: ["a"], open: { a: [] } });
    const text = JSON.stringify(object);

    const { accepted } = fuzz({
      count: 100_000,
      input: (chance) => [corrupted(text, chance), corrupted(text, chance)] as const,
      run: ([live, sent]) => {
        subject.update({ live, object: sent, manager: "alpha" });
        const { failure } = subject.apply({ live, config: sent, manager: "beta", force: true });
        if (failure !== undefined) throw new Refused();
      },
      isExpected: (error) => error instanceof Refused,
    });

    assert.ok(accepted > 5_000 && accepted < 95_000, String(accepted));
  });
});

class Refused extends Error {}

const hostile: readonly string[] = [
  "null",
  "[]",
  "{}",
  '"x"',
  "1e999",
  "[[]]",
  "[{}]",
  "[null]",
  '{"__proto__":{"a":1},"constructor":{}}',
  '[{"port":80},{"port":80}]',
  '{"k:{":{},"f:a":1}',
];
const deep = `${'{"a":'.repeat(1_500)}1${"}".repeat(1_500)}`;

/** Returns the object with a few parts replaced, removed or added. Applied ones mostly have no managedFields. */
function corrupted(text: string, chance: SeededRandom): JsonRecord {
  const copy = JSON.parse(text) as JsonRecord;
  if (chance.int(2) === 0) copy["metadata"] = { name: "a" };
  for (let edits = chance.int(3); edits > 0; edits -= 1) {
    let at: Record<string, unknown> = copy;
    for (let depth = chance.int(5); depth > 0; depth -= 1) {
      const inner = at[chance.pick([...Object.keys(at), ""])];
      if (typeof inner === "object" && inner !== null) at = inner as Record<string, unknown>;
    }
    const key = chance.pick([...Object.keys(at), "__proto__", "status", "nothing"]);
    if (chance.int(5) === 0) delete at[key];
    else
      Object.defineProperty(at, key, {
        value: JSON.parse(chance.int(2_000) === 0 ? deep : chance.pick(hostile)) as unknown,
        enumerable: true,
        writable: true,
        configurable: true,
      });
  }
  return copy;
}
