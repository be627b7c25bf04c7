import { codePointMax, holds, type CharSet } from "./char-set.ts";
import type { PatternNode } from "./subset.ts";

/** Maximum number of simultaneous match attempts at one character. */
const pathsMax = 8;
const statesMax = 1_500;
const workMax = 60_000;

/**
 * Reports whether a backtracking engine matches a pattern in time linear in the length of the input, for every input.
 *
 * A backtracking engine tries one path through the pattern after the other. This simulates all paths at once, as an NFA, over all
 * possible inputs, and counts how many paths are active at each character. If that number is bounded, so is the work per character.
 * A search that is not anchored starts a new path at every character, and these are counted too. Patterns that are too large to
 * simulate count as unbounded.
 */
export function isLinear(node: PatternNode): boolean {
  try {
    const machine = new Machine();
    machine.begin = machine.build(node, machine.accept);
    return machine.staysBounded();
  } catch (error) {
    if (error instanceof TooLarge) return false;
    throw error;
  }
}

class TooLarge extends Error {}

/** A state of the NFA: consumes a character, or leads to other states without consuming one. */
type State =
  | { readonly kind: "accept" }
  | { readonly kind: "read"; readonly set: CharSet; readonly next: State; readonly id: number }
  | { readonly kind: "fork"; readonly nexts: State[] }
  | { readonly kind: "atBegin"; readonly next: State };

type ReadState = Extract<State, { kind: "read" }>;

class Machine {
  readonly accept: State = { kind: "accept" };
  begin: State = this.accept;
  private readonly reads: ReadState[] = [];
  private states = 0;
  private work = 0;

  /** Returns the state that matches `node` and continues with `next`. */
  build(node: PatternNode, next: State): State {
    switch (node.kind) {
      case "begin":
        return { kind: "atBegin", next };
      case "end":
        // If the input does not end here, this path fails. Following it anyway counts too many paths, never too few.
        return next;
      case "chars":
        return this.read(node.set, next);
      case "sequence":
        return node.parts.reduceRight((after, part) => this.build(part, after), next);
      case "choice":
        return { kind: "fork", nexts: node.options.map((option) => this.build(option, next)) };
      case "repeat":
        return this.repeat(node.part, node.min, node.max, next);
    }
  }

  private repeat(part: PatternNode, min: number, max: number, next: State): State {
    // A repetition that consumes nothing would add a path each time.
    if (max > 1 && mayBeEmpty(part)) throw new TooLarge();
    let state: State = next;
    if (max === Infinity) {
      const loop: State = { kind: "fork", nexts: [next] };
      loop.nexts.push(this.build(part, loop));
      state = loop;
    } else {
      for (let copy = max; copy > min; copy--) state = { kind: "fork", nexts: [next, this.build(part, state)] };
    }
    for (let copy = 0; copy < min; copy++) state = this.build(part, state);
    return state;
  }

  private read(set: CharSet, next: State): State {
    this.states += 1;
    if (this.states > statesMax) throw new TooLarge();
    const state: ReadState = { kind: "read", set, next, id: this.reads.length };
    this.reads.push(state);
    return state;
  }

  /** Simulates all inputs, using one representative for characters that the pattern does not distinguish. */
  staysBounded(): boolean {
    const kinds = this.characterKinds();
    const start = this.open([this.begin], { atBegin: true });
    const restart = this.open([this.begin], { atBegin: false });
    const seen = new Set([keyOf(start)]);
    const queue = [start];
    for (let ways = queue.pop(); ways !== undefined; ways = queue.pop()) {
      for (const kind of kinds) {
        const reached = ways.filter((way) => kind.has(way.id)).map((way) => way.next);
        const next = [...this.open(reached, { atBegin: false }), ...restart];
        if (next.length > pathsMax) return false;
        const key = keyOf(next);
        if (seen.has(key)) continue;
        seen.add(key);
        queue.push(next);
      }
    }
    return true;
  }

  /** Returns the consuming states that are reachable from some states, one for each path. */
  private open(states: readonly State[], { atBegin }: { atBegin: boolean }): ReadState[] {
    const open: ReadState[] = [];
    const pending = [...states];
    for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
      this.work += 1;
      if (this.work > workMax || open.length + pending.length > statesMax) throw new TooLarge();
      if (state.kind === "read") open.push(state);
      else if (state.kind === "fork") pending.push(...state.nexts);
      else if (state.kind === "atBegin" && atBegin) pending.push(state.next);
    }
    return open;
  }

  /** Returns, for each class of characters, the states that consume it. */
  private characterKinds(): ReadonlySet<number>[] {
    const starts = new Set([0]);
    const sets = new Map<CharSet, number[]>();
    for (const { set, id } of this.reads) sets.set(set, [...(sets.get(set) ?? []), id]);
    for (const set of sets.keys()) {
      for (const [first, last] of set) {
        starts.add(first);
        if (last < codePointMax) starts.add(last + 1);
      }
    }
    const kinds = new Map<string, Set<number>>();
    for (const code of starts) {
      this.work += sets.size;
      if (this.work > workMax) throw new TooLarge();
      const ids = [...sets].flatMap(([set, members]) => (holds(set, code) ? members : []));
      kinds.set(ids.join(), new Set(ids));
    }
    return [...kinds.values()];
  }
}

function keyOf(ways: readonly ReadState[]): string {
  return ways
    .map((way) => way.id)
    .sort((a, b) => a - b)
    .join();
}

function mayBeEmpty(node: PatternNode): boolean {
  switch (node.kind) {
    case "begin":
    case "end":
      return true;
    case "chars":
      return false;
    case "sequence":
      return node.parts.every(mayBeEmpty);
    case "choice":
      return node.options.some(mayBeEmpty);
    case "repeat":
      return node.min === 0 || mayBeEmpty(node.part);
  }
}
