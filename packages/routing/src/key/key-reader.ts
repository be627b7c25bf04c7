import { cutText } from "@homeostat/core";
import { firstValue, joinedValue } from "../request/header-value.ts";
import type { ProxyRole, RequestView } from "../request/request-view.ts";
import { defaultRoutingSettings, type RoutingSettings } from "../settings/routing-settings.ts";
import { decodeBaggageValue, endOfBaggage, findBaggageMember } from "./baggage.ts";
import { keyCookie, keyParameter, readKeyCookie, readKeyParameter } from "./browser.ts";
import type { CountError, FoundKey, KeySource, KeyStep } from "./key-steps.ts";
import { baselineKeys, isRoutingKey } from "./routing-key.ts";
import { readTraceId } from "./traceparent.ts";
import { findTracestateMember } from "./tracestate.ts";

/** Options of a {@link KeyReader}. */
export interface KeyReaderOptions {
  readonly role: ProxyRole;
  readonly settings?: RoutingSettings | undefined;
}

/** Receivers of events of the search for a key. */
export interface KeyObserver {
  readonly count?: CountError | undefined;
  /** Receives the steps, for an explanation. */
  readonly record?: ((step: KeyStep) => void) | undefined;
}

/** Values longer than this are not decoded. */
const valueBytesMax = 128;

/**
 * Finds the routing key of requests. The first place with a valid key determines the key; the order is that of {@link KeySource}.
 *
 * Created once per configuration. Reading allocates nothing for a request without a key.
 */
export class KeyReader {
  readonly role: ProxyRole;
  readonly settings: RoutingSettings;
  /** Lower-case names of all headers that are read. An engine may collect just these. */
  readonly headerNames: readonly string[];
  /** Names of headers that carry nothing but a key. */
  readonly keyHeaders: readonly string[];
  readonly #groups: readonly { readonly name: string; readonly keys: ReadonlySet<string> }[];

  constructor({ role, settings = defaultRoutingSettings }: KeyReaderOptions) {
    this.role = role;
    this.settings = settings;
    const groups = new Map<string, Set<string>>();
    for (const { name, routingKeys } of settings.groupHeaders) {
      const lower = name.toLowerCase();
      // An explicit header is read for all keys already.
      if (settings.explicitHeaders.includes(lower)) continue;
      groups.set(lower, new Set([...(groups.get(lower) ?? []), ...routingKeys]));
    }
    this.#groups = [...groups].map(([name, keys]) => ({ name, keys }));
    const { explicitHeaders, compatHeaders, customHeaders } = settings;
    this.keyHeaders = [...explicitHeaders, ...groups.keys(), ...compatHeaders, ...customHeaders];
    this.headerNames = [
      ...new Set([
        ...settings.explicitHeaders,
        ...groups.keys(),
        "baggage",
        ...settings.compatHeaders,
        ...(settings.tracestate.read ? ["tracestate"] : []),
        "traceparent",
        ...settings.customHeaders,
        ...(role === "gateway" ? ["cookie"] : []),
        "user-agent",
      ]),
    ];
  }

  /** Returns the key of a request, or undefined. */
  read(request: RequestView, observer: KeyObserver = {}): FoundKey | undefined {
    const { role, settings } = this;
    const isGateway = role === "gateway";
    let found: Search | undefined;
    if ((isGateway || role === "local") && request.assignedKey !== undefined)
      found = consider(found, { source: "address", name: "", value: request.assignedKey }, observer);

    if (isGateway && !settings.acceptExternalKeys && found === undefined) {
      observer.record?.({ step: "key-source", source: "external", result: "external-keys-not-accepted" });
    } else {
      found = this.#readHeaders(found, request, observer);
      if (isGateway) found = readBrowser(found, request, observer);
    }

    if (found === undefined && isGateway && request.defaultKey !== undefined && !baselineKeys.has(request.defaultKey))
      found = consider(found, { source: "default", name: "", value: request.defaultKey }, observer);
    return found?.key;
  }

  #readHeaders(before: Search | undefined, request: RequestView, observer: KeyObserver): Search | undefined {
    const { headers } = request;
    const { settings } = this;
    let found = before;
    for (const name of settings.explicitHeaders) {
      const value = firstValue(headers, name);
      if (value !== undefined) found = consider(found, { source: "explicit-header", name, value }, observer);
    }
    for (const { name, keys } of this.#groups) {
      const value = firstValue(headers, name);
      if (value === undefined) continue;
      if (keys.has(value)) found = consider(found, { source: "group-header", name, value }, observer);
      else
        observer.record?.({ step: "key", source: "group-header", name, value: shown(value), result: "not-of-group" });
    }
    found = this.#readBaggage(found, request, observer);
    for (const name of settings.compatHeaders) {
      const value = firstValue(headers, name);
      if (value !== undefined) found = consider(found, { source: "compat-header", name, value }, observer);
    }
    found = this.#readTracestate(found, request, observer);
    for (const name of settings.customHeaders) {
      const value = firstValue(headers, name);
      if (value !== undefined) found = consider(found, { source: "custom-header", name, value }, observer);
    }
    return found;
  }

  #readBaggage(before: Search | undefined, { headers }: RequestView, observer: KeyObserver): Search | undefined {
    const baggage = joinedValue(headers, "baggage", ",");
    if (baggage === undefined) return before;
    let found = before;
    const end = endOfBaggage(baggage);
    for (const name of this.settings.keyNames) {
      const value = findBaggageMember(baggage, name, end);
      if (value === undefined) continue;
      // Other bytes outside of ASCII are in no key, decoded or not.
      const isEncoded = value.length <= valueBytesMax && value.includes("%");
      found = consider(
        found,
        { source: "baggage", name, value: isEncoded ? decodeBaggageValue(value) : value },
        observer,
      );
    }
    if (end < baggage.length) {
      observer.count?.("baggage_truncated");
      observer.record?.({ step: "key-source", source: "baggage", result: "truncated" });
    }
    return found;
  }

  #readTracestate(before: Search | undefined, { headers }: RequestView, observer: KeyObserver): Search | undefined {
    const { tracestate: options, keyNames } = this.settings;
    const tracestate = options.read ? joinedValue(headers, "tracestate", ",") : undefined;
    if (tracestate === undefined) return before;
    let found = before;
    let isChecked = false;
    for (const name of keyNames) {
      const value = findTracestateMember(tracestate, name);
      if (value === undefined) continue;
      if (!isChecked) {
        const trace = readTraceId(headers);
        if (trace === null || (trace === undefined && options.requireTraceparent)) {
          const result = trace === null ? "malformed-traceparent" : "missing-traceparent";
          observer.record?.({ step: "key-source", source: "tracestate", result });
          return found;
        }
        isChecked = true;
      }
      found = consider(found, { source: "tracestate", name, value }, observer);
    }
    return found;
  }
}

function readBrowser(before: Search | undefined, request: RequestView, observer: KeyObserver): Search | undefined {
  let found = before;
  const cookie = readKeyCookie(request.headers);
  if (cookie !== undefined) found = consider(found, { source: "cookie", name: keyCookie, value: cookie }, observer);
  const parameter = readKeyParameter(request.path);
  if (parameter !== undefined)
    found = consider(found, { source: "query", name: keyParameter, value: parameter }, observer);
  return found;
}

/** State of a search: the key, and whether a different one was found after it. */
interface Search {
  readonly key: FoundKey;
  isContested: boolean;
}

interface Candidate {
  readonly source: KeySource;
  readonly name: string;
  readonly value: string;
}

/** Returns the state of the search after a value. An empty value counts as absent. A conflict is counted once per request. */
function consider(
  found: Search | undefined,
  { source, name, value }: Candidate,
  { count, record }: KeyObserver,
): Search | undefined {
  if (value === "") return found;
  if (!isRoutingKey(value)) {
    count?.("invalid_key");
    record?.({ step: "key", source, name, value: shown(value), result: "invalid" });
    return found;
  }
  if (found === undefined) {
    record?.({ step: "key", source, name, value, result: "taken" });
    return { key: { key: value, source, name }, isContested: false };
  }
  if (found.key.key === value) {
    record?.({ step: "key", source, name, value, result: "same" });
    return found;
  }
  if (!found.isContested) count?.("key_conflict");
  found.isContested = true;
  record?.({ step: "key", source, name, value, result: "conflict" });
  return found;
}

function shown(value: string): string {
  return cutText(value, valueBytesMax);
}
