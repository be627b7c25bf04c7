import { formatGroupResource, isList, isRecord, ownValue } from "@homeostat/core";
import type { ControllerHistory, ObjectRef, OperatorProcess, WhyView } from "../api/types.ts";
import { textIn } from "../health/fields.ts";
import type { RunView, ViewContext } from "../views/view.ts";
import type { OperatorEndpoint } from "./operator-endpoint.ts";

/** Finds the debug pages of operators with the rights of a user. */
export type FindOperators = (context: ViewContext, signal: AbortSignal) => Promise<readonly OperatorEndpoint[]>;

/** Options of {@link whyView}. */
export interface WhyOptions {
  /** The object to explain; undefined for the state of all operators. */
  readonly ref: ObjectRef | undefined;
  readonly findOperators: FindOperators;
}

/** Interval of requests to operators while a page is open, in milliseconds. */
const pollMs = 500;
/** Number of polls after which operators are searched for again. */
const searchEvery = 20;
/** Deadline of all requests of one poll, in milliseconds. */
const requestMsMax = 5_000;

/** Returns the view of what controllers did about an object: `why` with all of it after each change. */
export function whyView(context: ViewContext, { ref, findOperators }: WhyOptions): RunView {
  return async (emit, signal) => {
    let last = "";
    let endpoints: readonly OperatorEndpoint[] = [];
    for (let poll = 0; !signal.aborted; poll += 1) {
      try {
        if (poll % searchEvery === 0) endpoints = await findOperators(context, signal);
        const view = await readWhy(endpoints, ref, { context, signal });
        const text = JSON.stringify(view);
        if (text !== last) emit({ event: "why", data: view });
        last = text;
      } catch (error) {
        if (signal.aborted) return;
        emit({ event: "problems", data: { problems: [error instanceof Error ? error.message : String(error)] } });
        last = "";
      }
      await context.clock.sleep(pollMs, signal).catch(() => undefined);
    }
  };
}

/** Reads the state of operator processes once, and the histories of an object. */
export async function readWhy(
  endpoints: readonly OperatorEndpoint[],
  ref: ObjectRef | undefined,
  { context, signal }: { readonly context: ViewContext; readonly signal: AbortSignal },
): Promise<WhyView> {
  using timeout = context.clock.timeout(requestMsMax);
  const deadline = AbortSignal.any([signal, timeout.signal]);
  const processes = await Promise.all(endpoints.map((endpoint) => readProcess(endpoint, deadline)));
  const histories =
    ref === undefined
      ? []
      : await Promise.all(
          endpoints.map((endpoint, index) => readHistories(endpoint, { ref, process: processes[index], deadline })),
        );
  signal.throwIfAborted();
  return { ref, processes, histories: histories.flat() };
}

async function readProcess(endpoint: OperatorEndpoint, signal: AbortSignal): Promise<OperatorProcess> {
  const { name } = endpoint;
  try {
    const { status, value } = await endpoint.get("/why", signal);
    if (status !== 200)
      return {
        name,
        controllers: [],
        informers: [],
        problem:
          textIn(value, "message") || `GET /why has status ${status}. Is it the port of the operator's debug pages?`,
      };
    const isLeading = isRecord(value) ? ownValue(value, "isLeading") === true : undefined;
    return { name, isLeading, controllers: listOf(value, "controllers"), informers: listOf(value, "informers") };
  } catch (error) {
    return { name, controllers: [], informers: [], problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Reads the history of an object from the controllers of its kind. */
async function readHistories(
  endpoint: OperatorEndpoint,
  options: {
    readonly ref: ObjectRef;
    readonly process: OperatorProcess | undefined;
    readonly deadline: AbortSignal;
  },
): Promise<ControllerHistory[]> {
  const { ref, process, deadline } = options;
  const resource = formatGroupResource(ref);
  const { namespace, name } = ref;
  const objectPath = [...(namespace === undefined ? [] : [namespace]), name].map(encodeURIComponent).join("/");
  const controllers = (process?.controllers ?? []).filter((one) => textIn(one, "resource") === resource);
  const histories = await Promise.all(
    controllers.map(async (one): Promise<ControllerHistory[]> => {
      const controller = textIn(one, "name");
      const path = `/why/${encodeURIComponent(controller)}/${objectPath}`;
      try {
        const { status, value } = await endpoint.get(path, deadline);
        return status === 200 ? [{ process: endpoint.name, controller, explanation: value }] : [];
      } catch {
        // The process itself is listed with the problem of the next poll.
        return [];
      }
    }),
  );
  return histories.flat();
}

function listOf(value: unknown, name: string): readonly unknown[] {
  const list = isRecord(value) ? ownValue(value, name) : undefined;
  return isList(list) ? list : [];
}
