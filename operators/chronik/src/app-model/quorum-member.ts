// A member of a quorum: the parts of Raft that the component contract shows, with the list of voters as the only replicated entry.
//
//   observer   not a voter; asks the voters for the leader and the list
//   follower   a voter that follows a leader
//   candidate  a voter that asks for votes, because it has not heard from a leader
//   leader     replicates the list of voters; steps down if it does not reach a majority
//
// A voter is an id and an incarnation. A member creates its incarnation with its first start on an empty volume; a message for another incarnation of
// the same id is refused. A member that lost its volume is therefore an observer until its former incarnation is removed and the new one added.
//
// Members of an embedded cluster call each other directly, and those of a real node by HTTP: see `PeerTransport`.

import { createHash } from "node:crypto";
import { type Clock, isRecord, type Random, type Timer } from "@homeostat/core";
import type { QuorumView, VoterIdentity } from "../component/contract.ts";
import type { Founder } from "./config.ts";

/** A voter and its address. */
export interface MemberVoter extends VoterIdentity {
  readonly address: string;
}

/** The replicated list of voters. */
interface VoterList {
  readonly index: number;
  readonly term: number;
  readonly voters: readonly MemberVoter[];
}

/** A request between members. */
export interface QuorumMessage {
  readonly type: "vote" | "append" | "fetch" | "campaign";
  readonly from: VoterIdentity;
  /** The receiver; undefined for `fetch`, which any member handles. */
  readonly to?: VoterIdentity | undefined;
  readonly term: number;
  readonly list: VoterList;
  /** Ids of the voters that are caught up, as the leader knows. */
  readonly caughtUp: readonly number[];
  /** True if the leader asked the candidate to campaign, so that voters do not protect the leader. */
  readonly isTransfer?: boolean | undefined;
}

/** The response to a {@link QuorumMessage}. */
export interface QuorumReply {
  readonly from: VoterIdentity;
  readonly isAccepted: boolean;
  readonly term: number;
  readonly leaderId: number | undefined;
  readonly list: VoterList;
  readonly caughtUp: readonly number[];
}

/** Sends messages to other members. Resolves with undefined when there is no response. */
export interface PeerTransport {
  send(address: string, message: QuorumMessage): Promise<QuorumReply | undefined>;
}

/** Files on the volume of a member. */
export interface StubVolume {
  get(name: string): string | undefined;
  set(name: string, text: string): unknown;
  clear(): void;
}

/** Options of {@link QuorumMember}. */
export interface QuorumMemberOptions {
  readonly id: number;
  readonly address: string;
  /** Namespace and name of the cluster. */
  readonly cluster: string;
  /** Voters of the first quorum. */
  readonly founders: readonly Founder[];
  /** True if a member with an empty volume founds the quorum. */
  readonly isFounder: boolean;
  readonly volume: StubVolume;
  readonly peers: PeerTransport;
  readonly clock: Clock;
  readonly random: Random;
  /** Interval of the messages of a leader. Default: 500 ms. */
  readonly tickMs?: number | undefined;
}

interface Saved {
  readonly incarnation: string;
  readonly term: number;
  readonly votedFor: number | undefined;
  readonly list: VoterList;
}

const fileName = "quorum.json";
const defaultTickMs = 500;
/** Ticks without a leader after which a follower campaigns: the minimum, and the number of random ticks in addition. */
const patienceTicks = 3;
const jitterTicks = 4;

/** Result of a change of the voters: the status of the HTTP response. */
export interface ChangeResult {
  readonly status: 200 | 202 | 409 | 422 | 503;
  readonly leaderId: number | undefined;
}

export class QuorumMember {
  readonly #options: QuorumMemberOptions;
  readonly #acknowledged = new Map<string, { readonly index: number; readonly tick: number }>();
  #saved: Saved;
  #role: "observer" | "follower" | "candidate" | "leader" = "follower";
  #leaderId: number | undefined;
  #caughtUp: readonly number[] = [];
  #tick = 0;
  #heardAt = 0;
  #patience: number;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(options: QuorumMemberOptions) {
    this.#options = options;
    this.#saved = readSaved(options.volume) ?? this.#firstState();
    this.#patience = patienceTicks + options.random.int(jitterTicks);
    this.#save({});
  }

  get identity(): VoterIdentity {
    return { id: this.#options.id, incarnation: this.#saved.incarnation };
  }

  /** True if the member is a voter that follows or is a leader. Only then is a controller ready. */
  get isVoting(): boolean {
    return this.#isVoter() && (this.#role === "leader" || (this.#role === "follower" && this.#leaderId !== undefined));
  }

  start(): void {
    const { clock, tickMs = defaultTickMs } = this.#options;
    this.#timer = clock.schedule(tickMs, () => {
      if (this.#isStopped) return;
      this.#onTick();
      this.start();
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.[Symbol.dispose]();
  }

  /** Returns the quorum as this member sees it. */
  view(): QuorumView {
    const { incarnation, term, list } = this.#saved;
    const caughtUp = this.#role === "leader" ? this.#caughtUpVoters() : this.#caughtUp;
    const leaderId = list.voters.some(({ id }) => id === this.#leaderId) ? this.#leaderId : undefined;
    return {
      nodeId: this.#options.id,
      incarnation,
      leaderId,
      term,
      voters: list.voters.map(({ id, incarnation: one }) => ({
        id,
        incarnation: one,
        caughtUp: caughtUp.includes(id),
      })),
    };
  }

  /** Adds a voter. A voter of the same id must be removed first. */
  add(voter: MemberVoter): ChangeResult {
    const { voters } = this.#saved.list;
    const known = voters.find(({ id }) => id === voter.id);
    if (this.#role !== "leader") return this.#result(409);
    if (known !== undefined && known.incarnation !== voter.incarnation) return this.#result(422);
    if (known !== undefined) return this.#result(this.#isCommitted() ? 200 : 202);
    return this.#change([...voters, voter]);
  }

  /** Removes a voter. */
  remove({ id, incarnation }: VoterIdentity): ChangeResult {
    const { voters } = this.#saved.list;
    const rest = voters.filter((voter) => voter.id !== id || voter.incarnation !== incarnation);
    if (this.#role !== "leader") return this.#result(409);
    if (rest.length === voters.length) return this.#result(this.#isCommitted() ? 200 : 202);
    // The last voter cannot be removed.
    return rest.length === 0 ? this.#result(422) : this.#change(rest);
  }

  /** Asks another voter that is caught up to become the leader. */
  transfer(): ChangeResult {
    if (this.#role !== "leader") return this.#result(409);
    const caughtUp = this.#caughtUpVoters();
    const next = this.#others().find(({ id }) => caughtUp.includes(id));
    if (next === undefined) return this.#result(503);
    void this.#options.peers.send(next.address, this.#message("campaign", next));
    return this.#result(202);
  }

  /** Handles a message of another member. */
  receive(message: QuorumMessage): QuorumReply | undefined {
    if (this.#isStopped) return undefined;
    const { type, to, term } = message;
    if (type === "fetch") return this.#reply(true);
    const isForThis = to?.id === this.#options.id && to.incarnation === this.#saved.incarnation;
    if (!isForThis) return this.#reply(false);
    if (type === "campaign") {
      if (this.#isVoter()) this.#campaign({ isTransfer: true });
      return this.#reply(true);
    }
    if (type === "vote") return this.#reply(this.#grantsVote(message));
    if (term < this.#saved.term) return this.#reply(false);
    this.#follow(message);
    return this.#reply(true);
  }

  #onTick(): void {
    this.#tick += 1;
    if (!this.#isVoter() && this.#role !== "leader") return this.#fetch();
    if (this.#role === "leader") return this.#lead();
    if (this.#tick - this.#heardAt > this.#patience) this.#campaign({ isTransfer: false });
  }

  /** Replicates the list of voters, and steps down if a majority has not responded for a while. */
  #lead(): void {
    for (const voter of this.#others()) void this.#append(voter);
    const isFresh = ({ tick }: { readonly tick: number }): boolean => this.#tick - tick <= patienceTicks + 1;
    const reached = this.#others().filter((voter) => {
      const found = this.#acknowledged.get(keyOf(voter));
      return found !== undefined && isFresh(found);
    });
    const self = this.#isVoter() ? 1 : 0;
    const isLost = reached.length + self < this.#majority() && this.#tick - this.#heardAt > patienceTicks;
    // A leader that removed itself leads until the others have committed it.
    const isDone = self === 0 && this.#isCommitted();
    if (isLost || isDone) this.#stepDown();
  }

  async #append(voter: MemberVoter): Promise<void> {
    const message = this.#message("append", voter);
    const reply = await this.#options.peers.send(voter.address, message);
    if (reply === undefined || this.#isStopped || this.#role !== "leader" || this.#saved.term !== message.term) return;
    if (reply.term > this.#saved.term) {
      this.#save({ term: reply.term, votedFor: undefined });
      this.#stepDown();
    } else if (reply.isAccepted && keyOf(reply.from) === keyOf(voter))
      this.#acknowledged.set(keyOf(voter), { index: reply.list.index, tick: this.#tick });
  }

  #campaign({ isTransfer }: { readonly isTransfer: boolean }): void {
    const term = this.#saved.term + 1;
    this.#save({ term, votedFor: this.#options.id });
    this.#role = "candidate";
    this.#leaderId = undefined;
    this.#heardAt = this.#tick;
    this.#patience = patienceTicks + this.#options.random.int(jitterTicks);
    const votes = new Set([keyOf(this.identity)]);
    this.#countVotes(votes, term);
    for (const voter of this.#others()) void this.#requestVote(voter, { isTransfer, votes });
  }

  async #requestVote(
    voter: MemberVoter,
    { isTransfer, votes }: { readonly isTransfer: boolean; readonly votes: Set<string> },
  ): Promise<void> {
    const message = { ...this.#message("vote", voter), isTransfer };
    const reply = await this.#options.peers.send(voter.address, message);
    if (reply === undefined || this.#isStopped) return;
    if (reply.isAccepted && keyOf(reply.from) === keyOf(voter)) votes.add(keyOf(voter));
    else this.#leaveIfRemoved(reply);
    this.#countVotes(votes, message.term);
  }

  #countVotes(votes: ReadonlySet<string>, term: number): void {
    if (votes.size >= this.#majority() && this.#role === "candidate" && this.#saved.term === term) this.#becomeLeader();
  }

  /** Becomes an observer if a newer list of voters does not contain this member. A removed voter gets no messages, and learns about its removal here. */
  #leaveIfRemoved({ term, list }: QuorumReply): void {
    const isVoter = list.voters.some((voter) => keyOf(voter) === keyOf(this.identity));
    if (isVoter || !isNewer(list, this.#saved.list)) return;
    this.#save({ term, list, votedFor: undefined });
    this.#role = "observer";
  }

  #becomeLeader(): void {
    this.#role = "leader";
    this.#leaderId = this.#options.id;
    this.#heardAt = this.#tick;
    this.#acknowledged.clear();
    // A list of the new term: a former leader may have left one that only a minority has.
    const { term, list } = this.#saved;
    this.#save({ list: { ...list, index: list.index + 1, term } });
    this.#lead();
  }

  #stepDown(): void {
    this.#role = "follower";
    this.#leaderId = undefined;
    this.#heardAt = this.#tick;
  }

  #follow({ from, term, list, caughtUp }: QuorumMessage): void {
    const votedFor = term > this.#saved.term ? undefined : this.#saved.votedFor;
    this.#save({ term, votedFor, list });
    this.#role = "follower";
    this.#leaderId = from.id;
    this.#caughtUp = caughtUp;
    this.#heardAt = this.#tick;
  }

  /** Grants a vote to a candidate whose list is not older, unless the leader is alive. */
  #grantsVote({ from, term, list, isTransfer }: QuorumMessage): boolean {
    const { term: ownTerm, votedFor, list: own } = this.#saved;
    const hasLeader = this.#leaderId !== undefined && this.#tick - this.#heardAt <= patienceTicks;
    if (hasLeader && isTransfer !== true) return false;
    if (term < ownTerm || (term === ownTerm && votedFor !== undefined && votedFor !== from.id)) return false;
    const isOlder = isNewer(own, list);
    // A newer term ends the leadership even if the candidate does not get the vote.
    if (term > ownTerm && this.#role === "leader") this.#stepDown();
    if (isOlder) {
      if (term > ownTerm) this.#save({ term, votedFor: undefined });
      return false;
    }
    this.#save({ term, votedFor: from.id });
    this.#role = "follower";
    this.#leaderId = undefined;
    this.#heardAt = this.#tick;
    return true;
  }

  /** Learns the leader and the voters from the first member that responds. */
  #fetch(): void {
    this.#role = "observer";
    const { founders, peers, id } = this.#options;
    const known = [...this.#saved.list.voters, ...founders]
      .filter((one) => one.id !== id)
      .map(({ address }) => address);
    for (const address of new Set(known)) void this.#fetchFrom(address, peers);
  }

  async #fetchFrom(address: string, peers: PeerTransport): Promise<void> {
    const reply = await peers.send(address, this.#message("fetch"));
    if (reply === undefined || this.#isStopped || this.#role !== "observer") return;
    const { term, list, leaderId, caughtUp } = reply;
    // A follower may still name the former incarnation of this member as the leader.
    if (term < this.#saved.term || leaderId === undefined || leaderId === this.#options.id) return;
    this.#save({ term, ...(isNewer(list, this.#saved.list) ? { list } : {}), votedFor: undefined });
    this.#leaderId = leaderId;
    this.#caughtUp = caughtUp;
    this.#heardAt = this.#tick;
    if (this.#isVoter()) this.#role = "follower";
  }

  #change(voters: readonly MemberVoter[]): ChangeResult {
    if (!this.#isCommitted()) return this.#result(503);
    const { list, term } = this.#saved;
    this.#save({ list: { index: list.index + 1, term, voters } });
    this.#lead();
    return this.#result(this.#isCommitted() ? 200 : 202);
  }

  /** Reports whether a majority of the voters has the current list. */
  #isCommitted(): boolean {
    return this.#caughtUpVoters().length >= this.#majority();
  }

  #caughtUpVoters(): readonly number[] {
    const { list } = this.#saved;
    return list.voters
      .filter((voter) => {
        if (keyOf(voter) === keyOf(this.identity)) return true;
        const found = this.#acknowledged.get(keyOf(voter));
        return found?.index === list.index && this.#tick - found.tick <= patienceTicks;
      })
      .map(({ id }) => id);
  }

  #isVoter(): boolean {
    return this.#saved.list.voters.some((voter) => keyOf(voter) === keyOf(this.identity));
  }

  #others(): readonly MemberVoter[] {
    return this.#saved.list.voters.filter((voter) => keyOf(voter) !== keyOf(this.identity));
  }

  #majority(): number {
    return Math.floor(this.#saved.list.voters.length / 2) + 1;
  }

  #message(type: QuorumMessage["type"], to?: VoterIdentity): QuorumMessage {
    const { term, list } = this.#saved;
    const caughtUp = this.#caughtUpVoters();
    return {
      type,
      from: this.identity,
      ...(to === undefined ? {} : { to: { id: to.id, incarnation: to.incarnation } }),
      term,
      list,
      caughtUp,
    };
  }

  #reply(isAccepted: boolean): QuorumReply {
    const { term, list } = this.#saved;
    const caughtUp = this.#role === "leader" ? this.#caughtUpVoters() : this.#caughtUp;
    return { from: this.identity, isAccepted, term, leaderId: this.#leaderId, list, caughtUp };
  }

  #result(status: ChangeResult["status"]): ChangeResult {
    return { status, leaderId: this.#leaderId };
  }

  #save(change: Partial<Saved>): void {
    this.#saved = { ...this.#saved, ...change };
    this.#options.volume.set(fileName, JSON.stringify(this.#saved));
  }

  /** Returns the state of a member with an empty volume. */
  #firstState(): Saved {
    const { id, cluster, founders, isFounder, random } = this.#options;
    const list: VoterList = { index: 0, term: 0, voters: [] };
    if (!isFounder) {
      const incarnation = Array.from({ length: 32 }, () => random.int(16).toString(16)).join("");
      return { incarnation, term: 0, votedFor: undefined, list };
    }
    // Founders must know the incarnations of each other before they exchange messages.
    const voters = founders.map(({ id: one, address }) => ({ id: one, incarnation: founderOf(cluster, one), address }));
    return { incarnation: founderOf(cluster, id), term: 0, votedFor: undefined, list: { ...list, voters } };
  }
}

/** Reports whether a list of voters is newer than another one. */
function isNewer(list: VoterList, than: VoterList): boolean {
  return list.term > than.term || (list.term === than.term && list.index > than.index);
}

function founderOf(cluster: string, id: number): string {
  return createHash("sha256").update(`${cluster}/${id}`).digest("hex").slice(0, 32);
}

function keyOf({ id, incarnation }: VoterIdentity): string {
  return `${id}:${incarnation}`;
}

function readSaved(volume: StubVolume): Saved | undefined {
  const text = volume.get(fileName);
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  return isSaved(value) ? value : undefined;
}

/** Reports whether a value was written by a member. The file is the member's own, so its form is not checked further. */
function isSaved(value: unknown): value is Saved {
  return isRecord(value) && typeof value["incarnation"] === "string" && isRecord(value["list"]);
}
