import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, SeededRandom } from "@homeostat/core";
import { type PeerTransport, QuorumMember } from "./quorum-member.ts";

/** A group of members that reach each other, unless they are cut off. */
class Group {
  readonly clock = new FakeClock();
  readonly volumes = new Map<number, Map<string, string>>();
  readonly members = new Map<number, QuorumMember>();
  readonly cutOff = new Set<number>();
  readonly #random = new SeededRandom(7);
  readonly #founders: readonly { readonly id: number; readonly address: string }[];

  constructor(founders: number) {
    this.#founders = Array.from({ length: founders }, (_none, index) => ({ id: index + 1, address: `n${index + 1}` }));
    for (const { id } of this.#founders) this.start(id, true);
  }

  /** Starts a member on its volume. */
  start(id: number, isFounder = false): QuorumMember {
    const volume = this.volumes.get(id) ?? new Map<string, string>();
    this.volumes.set(id, volume);
    const peers: PeerTransport = {
      send: async (address, message) => {
        const to = Number(address.slice(1));
        if (this.cutOff.has(to) || this.cutOff.has(id)) return undefined;
        return this.members.get(to)?.receive(message);
      },
    };
    const { clock } = this;
    const founders = this.#founders;
    const member = new QuorumMember({
      id,
      address: `n${id}`,
      cluster: "ns/c",
      founders,
      isFounder,
      volume,
      peers,
      clock,
      random: this.#random,
    });
    this.members.set(id, member);
    member.start();
    return member;
  }

  stop(id: number): void {
    this.members.get(id)?.stop();
    this.members.delete(id);
  }

  stopAll(): void {
    for (const id of this.members.keys()) this.stop(id);
  }

  /** Returns the id of the only leader; fails if there are several in one term. */
  get leader(): QuorumMember | undefined {
    const leaders = [...this.members.values()].filter((one) => one.view().leaderId === one.identity.id);
    const newest = Math.max(...leaders.map((one) => one.view().term));
    const found = leaders.filter((one) => one.view().term === newest);
    assert.ok(found.length <= 1, "two leaders in one term");
    return found[0];
  }

  get voters(): string {
    return (this.leader?.view().voters ?? []).map(({ id, caughtUp }) => `${id}${caughtUp ? "" : "?"}`).join(" ");
  }

  get voting(): readonly number[] {
    return [...this.members]
      .filter(([, one]) => one.isVoting)
      .map(([id]) => id)
      .toSorted((a, b) => a - b);
  }

  async run(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds * 2; passed += 1) await this.clock.advance(500);
  }

  /** Returns a member that is a voter and not the leader. */
  follower(): number {
    const found = [...this.members.keys()].find((id) => id !== this.leader?.identity.id);
    assert.ok(found !== undefined);
    return found;
  }
}

describe("a quorum member", () => {
  for (const count of [1, 2, 3, 5]) {
    it(`founds a quorum of ${count} with one leader`, async () => {
      const group = new Group(count);
      await group.run(10);

      assert.ok(group.leader !== undefined);
      assert.equal(group.voters, Array.from({ length: count }, (_none, index) => index + 1).join(" "));
      assert.equal(group.voting.length, count);
      group.stopAll();
    });
  }

  it("keeps its identity and the voters on its volume", async () => {
    const group = new Group(3);
    await group.run(10);
    const before = group.members.get(2)?.identity;
    group.stopAll();
    for (const id of [1, 2, 3]) group.start(id);
    await group.run(10);

    assert.deepEqual(group.members.get(2)?.identity, before);
    assert.equal(group.voters, "1 2 3");
    group.stopAll();
  });

  it("elects another leader when the leader stops, and none without a majority", async () => {
    const group = new Group(3);
    await group.run(10);
    const first = group.leader?.identity.id ?? 0;
    group.stop(first);
    await group.run(10);
    const second = group.leader?.identity.id ?? 0;
    assert.notEqual(second, first);
    assert.equal(group.voting.length, 2);

    group.stop(second);
    await group.run(20);
    assert.equal(group.leader, undefined);
    assert.deepEqual(group.voting, []);
    group.stopAll();
  });

  it("replaces a leader that is cut off", async () => {
    const group = new Group(3);
    await group.run(10);
    const first = group.leader?.identity.id ?? 0;
    group.cutOff.add(first);
    await group.run(15);

    assert.notEqual(group.leader?.identity.id, first);
    assert.ok(!group.voting.includes(first), "it stepped down");
    group.cutOff.clear();
    await group.run(10);
    assert.equal(group.voters, "1 2 3");
    assert.equal(group.voting.length, 3);
    group.stopAll();
  });

  it("does not vote with an empty volume until its former incarnation is removed and the new one is added", async () => {
    const group = new Group(3);
    await group.run(10);
    const id = group.follower();
    group.stop(id);
    group.volumes.delete(id);
    const back = group.start(id);
    await group.run(10);

    const { leader } = group;
    assert.ok(leader !== undefined);
    const former = leader.view().voters.find((voter) => voter.id === id);
    assert.ok(former !== undefined && former.incarnation !== back.identity.incarnation && !former.caughtUp);
    assert.ok(!back.isVoting);
    assert.equal(back.view().leaderId, leader.identity.id, "an observer knows the leader");
    assert.equal(leader.add({ ...back.identity, address: `n${id}` }).status, 422, "the former incarnation is a voter");

    assert.equal(leader.remove(former).status, 202);
    await group.run(3);
    assert.equal(leader.add({ ...back.identity, address: `n${id}` }).status, 202);
    await group.run(3);
    assert.equal(leader.add({ ...back.identity, address: `n${id}` }).status, 200);
    assert.ok(back.isVoting);
    group.stopAll();
  });

  it("adds and removes voters one at a time, and refuses changes if it is not the leader", async () => {
    const group = new Group(3);
    await group.run(10);
    const joined = group.start(4);
    await group.run(3);
    const { leader } = group;
    assert.ok(leader !== undefined && !joined.isVoting);
    const voter = { ...joined.identity, address: "n4" };
    assert.deepEqual(group.members.get(group.follower())?.add(voter), { status: 409, leaderId: leader.identity.id });

    leader.add(voter);
    assert.equal(leader.remove({ id: 1, incarnation: "x" }).status, 202, "the former change is in progress");
    await group.run(3);
    assert.equal(group.voters, "1 2 3 4");
    leader.remove(voter);
    await group.run(10);

    assert.equal(group.voters, "1 2 3");
    assert.ok(!joined.isVoting, "a removed voter observes");
    assert.equal(joined.view().leaderId, group.leader?.identity.id);
    group.stopAll();
  });

  it("hands over the leadership", async () => {
    const group = new Group(3);
    await group.run(10);
    const { leader } = group;
    assert.equal(leader?.transfer().status, 202);
    await group.run(5);

    assert.ok(group.leader !== undefined && group.leader !== leader);
    assert.equal(group.voting.length, 3);
    group.stopAll();
  });

  it("removes itself as the leader, and the others elect a new one", async () => {
    const group = new Group(3);
    await group.run(10);
    const { leader } = group;
    assert.ok(leader !== undefined);
    leader.remove(leader.identity);
    await group.run(15);

    assert.ok(group.leader !== undefined && group.leader !== leader);
    assert.equal(group.leader.view().voters.length, 2);
    assert.ok(!leader.isVoting);
    group.stopAll();
  });
});
