// The model test is only worth something if it finds faults. Each of these is one that a cache could well have.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findFailure, type HistoryOptions } from "./history.fixture.test.ts";
import { type OwnWrite, OwnWrites } from "./own-writes.ts";
import { type Known, type Rules, standardRules as rules } from "./rules.ts";
import type { Source, WatchRequest } from "./source.ts";
import { Tombstones } from "./tombstones.ts";
import type { Version } from "./version.ts";

/** So many histories are tried before a fault counts as missed. Most are found within the first hundred. */
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

/** A watch in which one piece in so many gets lost. */
async function* withGaps(lines: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let count = 0;
  for await (const line of lines) {
    count += 1;
    if (count % 4 !== 0) yield line;
  }
}

const faults: Readonly<Record<string, HistoryOptions>> = {
  "takes what a watch tells twice for news": withRules({
    onEvent: (news) => rules.onEvent({ ...news, highWater: undefined }),
  }),
  "takes a new object of an old name for a change of the old one": withRules({
    onEvent: (news) => rules.onEvent({ ...news, known: sameUid(news.known) }),
    onListed: (news) => rules.onListed({ ...news, known: sameUid(news.known) }),
  }),
  "lets an older event overwrite a newer write of its own": withRules({
    onEvent: (news) => (rules.onEvent(news) === "superseded" ? "replace" : rules.onEvent(news)),
  }),
  "does not see deletions": withRules({
    onEvent: (news) => (news.type === "DELETED" ? "ignore" : rules.onEvent(news)),
  }),
  "takes an object of a list that has its uid for unchanged": withRules({
    onListed: (news) => (rules.onListed(news) === "replace" ? "confirm" : rules.onListed(news)),
  }),
  "brings back from an old list what was deleted": withRules({
    onListed: (news) => (rules.onListed(news) === "suspect" ? "insert" : rules.onListed(news)),
  }),
  "believes a list that is older than what it has seen": withRules({
    isStaleList: () => false,
    onListed: (news) => rules.onListed({ ...news, highWater: undefined }),
  }),
  "drops its own writes when a list does not have them yet": withRules({ outlivesList: () => false }),
  "keeps what a list no longer has": withRules({ outlivesList: () => true }),
  "does not show its own writes before the watch does": withRules({ onWrite: () => "ignore" }),
  "brings back what was deleted, by a late answer to a write": withRules({
    onWrite: (news) => rules.onWrite({ ...news, highWater: undefined }),
  }),
  "shows its own write although it is no longer selected": withRules({
    onWrite: (news) => rules.onWrite({ ...news, isSelected: true }),
  }),
  "shows again what it deleted itself": withTombstones(() => new NoTombstones()),
  "forgets at the first event what it deleted itself": withTombstones(() => new ShortTombstones()),
  "takes whatever comes before its own write for its own": withOwnWrites(() => new TrustingWrites()),
  "forgets what came while the answer was out": withOwnWrites(() => new ForgetfulWrites()),
  "forgets what came while a write was out that failed": withOwnWrites(() => new CarelessWrites()),
  "goes on from one version too late": withWatch((request) => ({
    ...request,
    resourceVersion: request.resourceVersion === "" ? "" : String(Number(request.resourceVersion) + 1),
  })),
  "loses an event now and then": {
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
