// Verifies that the model test finds faults. Each one planted here is a mistake that a cache could well have.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findFailure, type HistoryOptions } from "../testing/cache-history.ts";
import { type OwnWrite, OwnWrites } from "./own-writes.ts";
import { type Known, type Rules, standardRules as rules } from "./rules.ts";
import type { Source, WatchRequest } from "./source.ts";
import { Tombstones } from "./tombstones.ts";
import type { Version } from "./version.ts";

/** Number of histories after which a fault counts as missed. Most are found within the first hundred. */
const historiesMax = 6000;

function withRules(changed: Partial<Rules>): HistoryOptions {
  return { decisionParts: () => ({ rules: { ...rules, ...changed } }) };
}

function withTombstones(make: () => Tombstones): HistoryOptions {
  return { decisionParts: () => ({ tombstones: make() }) };
}

function withOwnWrites(make: () => OwnWrites): HistoryOptions {
  return { decisionParts: () => ({ ownWrites: make() }) };
}

function withWatch(change: (request: WatchRequest) => WatchRequest): HistoryOptions {
  return {
    wrap: (source): Source => ({
      list: (request) => source.list(request),
      watch: (request) => source.watch(change(request)),
    }),
  };
}

function sameUid(known: Known | undefined): Known | undefined {
  return known === undefined ? undefined : { ...known, isSameUid: true };
}

class NoTombstones extends Tombstones {
  override hides(): boolean {
    return false;
  }
  override hidesListed(): boolean {
    return false;
  }
  override isOutdated(): boolean {
    return false;
  }
}

class ShortTombstones extends Tombstones {
  override hides(key: string, uid: string, version: Version | undefined): boolean {
    const isHidden = super.hides(key, uid, version);
    this.drop(uid);
    return isHidden;
  }
}

class TrustingWrites extends OwnWrites {
  override isOwn(): boolean {
    return true;
  }
}

class ForgetfulWrites extends OwnWrites {
  override responded(write: OwnWrite, version: Version): void {
    write.observedChanges.length = 0;
    super.responded(write, version);
  }
}

class CarelessWrites extends OwnWrites {
  override isOwn(key: string, writer: string | undefined, version: Version | undefined): boolean {
    return super.isOwn(key, writer, version) || this.of(key).every(({ isInFlight }) => isInFlight);
  }
}

/** A watch that loses every fourth event. */
async function* withGaps(lines: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let count = 0;
  for await (const line of lines) {
    count += 1;
    if (count % 4 !== 0) yield line;
  }
}

const faults: Readonly<Record<string, HistoryOptions>> = {
  "applies repeated watch events again": withRules({
    onEvent: (input) => rules.onEvent({ ...input, highWater: undefined }),
  }),
  "treats a recreated object as a change of the old one": withRules({
    onEvent: (input) => rules.onEvent({ ...input, known: sameUid(input.known) }),
    onListed: (input) => rules.onListed({ ...input, known: sameUid(input.known) }),
  }),
  "lets an older event overwrite a newer own write": withRules({
    onEvent: (input) => (rules.onEvent(input) === "superseded" ? "replace" : rules.onEvent(input)),
  }),
  "ignores deletions": withRules({
    onEvent: (input) => (input.type === "DELETED" ? "ignore" : rules.onEvent(input)),
  }),
  "treats a list item with the same uid as unchanged": withRules({
    onListed: (input) => (rules.onListed(input) === "replace" ? "confirm" : rules.onListed(input)),
  }),
  "brings back deleted objects from an old list": withRules({
    onListed: (input) => (rules.onListed(input) === "suspect" ? "insert" : rules.onListed(input)),
  }),
  "accepts a list that is older than what it has seen": withRules({
    isStaleList: () => false,
    onListed: (input) => rules.onListed({ ...input, highWater: undefined }),
  }),
  "drops own writes that a list does not have yet": withRules({ outlivesList: () => false }),
  "keeps objects that a list no longer has": withRules({ outlivesList: () => true }),
  "does not show own writes before the watch does": withRules({ onWrite: () => "ignore" }),
  "brings back a deleted object because of a late write response": withRules({
    onWrite: (input) => rules.onWrite({ ...input, highWater: undefined }),
  }),
  "shows an own write that is no longer selected": withRules({
    onWrite: (input) => rules.onWrite({ ...input, isSelected: true }),
  }),
  "shows objects again that it deleted itself": withTombstones(() => new NoTombstones()),
  "drops the record of its own deletion at the first event": withTombstones(() => new ShortTombstones()),
  "treats every change before an own write as its own": withOwnWrites(() => new TrustingWrites()),
  "forgets changes that arrived before the response": withOwnWrites(() => new ForgetfulWrites()),
  "forgets changes that arrived during a failed write": withOwnWrites(() => new CarelessWrites()),
  "resumes one version too late": withWatch((request) => ({
    ...request,
    resourceVersion: request.resourceVersion === "" ? "" : String(Number(request.resourceVersion) + 1),
  })),
  "loses some events": {
    wrap: (source): Source => ({
      list: (request) => source.list(request),
      watch: async (request) => withGaps(await source.watch(request)),
    }),
  },
};

describe("the model test finds a cache that", () => {
  for (const [fault, options] of Object.entries(faults)) {
    it(fault, async () => {
      const seed = await findFailure(historiesMax, options);

      assert.notEqual(seed, undefined, `not found in ${historiesMax} histories`);
    });
  }
});
