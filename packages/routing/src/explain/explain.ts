import { type Random, withoutUndefined } from "@homeostat/core";
import { decide, type TargetHealth } from "../decide/decide.ts";
import type { Decision, DecisionStep, FaultPlan } from "../decide/decision.ts";
import { routeHeader } from "../decide/response-texts.ts";
import type { KeyReader } from "../key/key-reader.ts";
import type { RoutingErrorReason } from "../key/key-steps.ts";
import type { RequestView } from "../request/request-view.ts";
import { type CompiledPort, compileTable } from "../table/compile-table.ts";
import type { RouteEntry, RouteTable } from "../table/route-table.ts";
import type { Explanation, ExplainedFault, ExplainedOutcome, ExplainedStep, ExplainedTarget } from "./explanation.ts";
import { explainNotReached, explainRoute, explainStep } from "./step-texts.ts";

/** A request to explain. */
export interface ExplainInput {
  readonly table: RouteTable;
  /** Port of the Service. */
  readonly port: number;
  readonly request: RequestView;
  readonly keys: KeyReader;
  readonly random: Random;
  readonly health?: TargetHealth | undefined;
  readonly knownKeys?: { has(key: string): boolean } | undefined;
}

/**
 * Explains where a request goes and why. Runs the same {@link decide} as proxies do and records its steps, so an explanation
 * cannot differ from the decision.
 */
export function explain(input: ExplainInput): Explanation {
  const { table, port, request, keys, knownKeys, health } = input;
  const compiled = compileTable(table);
  const { namespace, service, version, interception } = compiled;
  const head = { namespace, service, port, tableVersion: version, renderer: interception };
  const first: ExplainedStep = {
    step: "table",
    text: `Table of Service ${namespace}/${service}, version ${version}, with ${table.entries.length} ${table.entries.length === 1 ? "entry" : "entries"}`,
  };
  const compiledPort = compiled.ports.get(port);
  if (compiledPort === undefined) {
    const outcome: ExplainedOutcome = { type: "no-port", ports: [...compiled.ports.keys()] };
    return { ...head, steps: [first], outcome, counted: [] };
  }

  const random = new ReplayRandom(input.random);
  const recorded: DecisionStep[] = [];
  const counted: RoutingErrorReason[] = [];
  const decision = decide(compiledPort, request, {
    keys,
    random,
    health,
    knownKeys,
    count: (reason) => counted.push(reason),
    record: (step) => recorded.push(step),
  });
  const header = routeHeader(decision, keys.settings);
  return {
    ...head,
    ...(decision.key === undefined ? {} : { key: decision.key }),
    steps: [first, ...recorded.map(explainStep), ...notReached(compiledPort, decision)],
    outcome: explainOutcome(decision, compiledPort),
    ...(decision.type === "entry"
      ? { targets: explainTargets(decision, health), ifTargetVanished: outcomeWithoutTarget(input, decision, random) }
      : {}),
    ...(header === undefined ? {} : { responseHeader: header }),
    counted,
  };
}

/** Returns the routes after the deciding one, which were not evaluated. */
function notReached(port: CompiledPort, { key, route }: Decision): ExplainedStep[] {
  if (key === undefined || route === undefined) return [];
  const routes = port.routes.get(key.key) ?? [];
  return routes.slice(routes.indexOf(route) + 1).map(explainNotReached);
}

function explainTargets({ route, targets }: Decision & { type: "entry" }, health?: TargetHealth): ExplainedTarget[] {
  return route.targets.map((address) => ({
    address,
    isHealthy: health?.isHealthy(address) ?? true,
    isUsed: targets.includes(address),
  }));
}

/** Decides about the same request and a table in which the workload has no ready target. */
function outcomeWithoutTarget(
  { table, port, request, keys, knownKeys, health }: ExplainInput,
  { route }: Decision & { type: "entry" },
  random: ReplayRandom,
): ExplainedOutcome {
  const entries = table.entries.map((entry) => (entry === route.entry ? withoutAddresses(entry) : entry));
  const compiledPort = compileTable({ ...table, entries }).ports.get(port);
  if (compiledPort === undefined) return { type: "no-port", ports: table.ports.map((each) => each.port) };
  random.rewind();
  return explainOutcome(decide(compiledPort, request, { keys, random, health, knownKeys }), compiledPort);
}

/** Returns an entry without ready targets. The target of a Virtual entry is the baseline, which is not part of the entry. */
function withoutAddresses(entry: RouteEntry): RouteEntry {
  return { ...entry, ports: entry.ports.map((each) => ({ ...each, addresses: [] })) };
}

function explainOutcome(decision: Decision, { port }: CompiledPort): ExplainedOutcome {
  if (decision.type === "baseline") return { type: "baseline", reason: decision.reason, target: port.baselineTarget };
  const route = explainRoute(decision.route);
  if (decision.type === "entry") {
    const { targets, fault } = decision;
    return { type: "entry", route, targets, ...(fault === undefined ? {} : { fault: explainFault(fault) }) };
  }
  if (decision.action === "Fail") return { type: "unavailable", action: "Fail", route };
  const { holdMs, afterHold } = decision;
  return { type: "unavailable", action: "Hold", route, holdMs, afterHold };
}

function explainFault({ delayMs, ...abort }: FaultPlan): ExplainedFault {
  return { delayMs, ...withoutUndefined(abort) };
}

/** Randomness that can be repeated, so two decisions differ only by their tables. */
class ReplayRandom implements Random {
  readonly #source: Random;
  readonly #drawn: number[] = [];
  #at = 0;

  constructor(source: Random) {
    this.#source = source;
  }

  rewind(): void {
    this.#at = 0;
  }

  next(): number {
    const value = this.#drawn[this.#at] ?? this.#source.next();
    this.#drawn[this.#at] = value;
    this.#at += 1;
    return value;
  }

  int(maxExclusive: number): number {
    return Math.floor(this.next() * maxExclusive);
  }
}
