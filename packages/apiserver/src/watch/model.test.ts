import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Entry } from "../storage/entry.ts";
import { decodeContinue, encodeContinue } from "../storage/continue-token.ts";
import type { Sample } from "../testing/store-sample.ts";
import { findFailure, realSystem, type System } from "../testing/watch-model.ts";
import type { Shape } from "./shape.ts";
import { shape } from "../testing/watch-reading.ts";
import type { WatchOptions } from "./watcher.ts";

describe("store and watches compared with a naive model", () => {
  it("agree on every list, page and watch in random histories", async () => {
    const failure = await findFailure(realSystem, { numRuns: 400, seed: 11 });

    assert.equal(failure, undefined);
  });
});

/** The real system with one modification, also in its forks. */
function changed(change: (system: System) => Partial<System>, inner: System = realSystem()): System {
  return {
    write: (...args) => inner.write(...args),
    list: (options) => inner.list(options),
    watch: (options) => inner.watch(options),
    compact: (revision) => inner.compact(revision),
    pause: () => inner.pause(),
    drop: () => inner.drop(),
    fork: () => changed(change, inner.fork()),
    ...change(inner),
    get revision() {
      return inner.revision;
    },
  };
}

function withWatch(change: (options: WatchOptions<Sample>) => WatchOptions<Sample>): () => System {
  return () => changed((system) => ({ watch: (options) => system.watch(change(options)) }));
}

function from(options: WatchOptions<Sample>, shift: number): WatchOptions<Sample> {
  return "after" in options.from && options.from.after + shift >= 1
    ? { ...options, from: { after: options.from.after + shift } }
    : options;
}

function withShape(options: WatchOptions<Sample>, change: Partial<Shape<Sample>>): WatchOptions<Sample> {
  return { ...options, shape: { ...shape, id: "changed", ...change } };
}

/** Bugs that a store could plausibly have. */
const faults: Readonly<Record<string, () => System>> = {
  "a resumed watch misses the first change": withWatch((options) => from(options, 1)),
  "a resumed watch repeats the last change": withWatch((options) => from(options, -1)),
  "a watch sends keys outside its prefix": withWatch((options) => ({
    ...options,
    prefix: options.prefix.slice(0, -1),
  })),
  "a watch ignores its selector": withWatch(({ matches: _unused, ...options }) => options),
  "an object that stops matching is not sent as DELETED": withWatch((options) => {
    const { matches } = options;
    if (matches === undefined) return options;
    const seen = new Set<string>();
    return {
      ...options,
      matches: (entry: Entry<Sample>) => matches(entry) && seen.size < seen.add(`${entry.key} ${entry.revision}`).size,
    };
  }),
  "a deleted object shows its old revision": withWatch((options) =>
    withShape(options, { encode: (type, entry) => shape.encode(type, entry, entry.revision) }),
  ),
  "a change is sent as ADDED": withWatch((options) =>
    withShape(options, {
      encode: (type, entry, revision) => shape.encode(type === "MODIFIED" ? "ADDED" : type, entry, revision),
    }),
  ),
  "the end of the initial state is not marked": withWatch((options) =>
    "initial" in options.from ? { ...options, from: { initial: true } } : options,
  ),
  "a list at a revision shows the newest state": () =>
    changed((system) => ({
      list: ({ revision: _unused, ...options }) => system.list(options),
    })),
  "later pages show the newest state": () =>
    changed((system) => ({
      list: (options) => {
        const decoded = decodeContinue(options.continueToken ?? "", options.prefix);
        if ("problem" in decoded) return system.list(options);
        const continueToken = encodeContinue({ ...decoded.position, revision: -1 }, options.prefix);
        return system.list({ ...options, continueToken });
      },
    })),
  "a page starts with the last entry of the previous one": () =>
    changed((system) => ({
      list: (options) => {
        const decoded = decodeContinue(options.continueToken ?? "", options.prefix);
        if ("problem" in decoded) return system.list(options);
        const start = decoded.position.start.slice(0, -1);
        return system.list({
          ...options,
          continueToken: encodeContinue({ ...decoded.position, start }, options.prefix),
        });
      },
    })),
  "a list with a selector has a remainingItemCount": () =>
    changed((system) => ({
      list: (options) => {
        const outcome = system.list(options);
        return outcome.outcome === "listed" && outcome.continueToken !== undefined
          ? { remainingItemCount: 1, ...outcome }
          : outcome;
      },
    })),
  "a fork shares its parent's state": () => {
    const shared = realSystem();
    return changed(() => ({ fork: () => shared }), shared);
  },
  "compaction removes one revision too many": () =>
    changed((system) => ({ compact: (revision) => system.compact(revision + 1) })),
  "compaction removes nothing": () => changed(() => ({ compact: () => undefined })),
  "a precondition is ignored": () => changed((system) => ({ write: (key, value) => system.write(key, value) })),
};

describe("the model finds a planted bug:", () => {
  for (const [name, newSystem] of Object.entries(faults)) {
    it(name, async () => {
      const failure = await findFailure(newSystem, { numRuns: 400, seed: 11 });

      assert.notEqual(failure, undefined);
    });
  }
});
