import type { KeyReader } from "../key/key-reader.ts";
import type { CountError, FoundKey, KeySource } from "../key/key-steps.ts";
import { findTracestateMember } from "../key/tracestate.ts";
import { gatewayCookies, previewHeader } from "../preview/preview-names.ts";
import { withoutCookies } from "../request/cookies.ts";
import { firstValue, joinedValue } from "../request/header-value.ts";
import type { RequestView } from "../request/request-view.ts";
import type { HeaderEditor } from "./header-edits.ts";
import { injectBaggage, withoutBaggageMembers } from "./inject-baggage.ts";

/** A request whose key headers are to be written. */
export interface KeyHeadersInput {
  readonly keys: KeyReader;
  readonly request: RequestView;
  readonly key: FoundKey | undefined;
  /** False if no table of the proxy has the key. */
  readonly isKnown: boolean;
  readonly count?: CountError | undefined;
}

/** Sources that the tracers of applications do not forward. A key from one of them would end at the next service. */
const notForwarded: ReadonlySet<KeySource> = new Set([
  "explicit-header",
  "group-header",
  "custom-header",
  "cookie",
  "query",
  "restored",
]);

/**
 * Writes the key into the forms that applications forward, and removes keys that outside clients sent to the gateway.
 *
 * A proxy inside of the cluster passes an unknown key on unchanged, because another namespace may know it.
 */
export function editKeyHeaders(editor: HeaderEditor, input: KeyHeadersInput): void {
  const { keys, key, isKnown } = input;
  if (keys.role === "gateway") removeOtherKeys(editor, input);
  if (key === undefined) return;
  const isEntrance = keys.role === "gateway" || keys.role === "local";
  if (isEntrance || (isKnown && notForwarded.has(key.source))) writeKey(editor, input, key.key);
}

function writeKey(editor: HeaderEditor, { keys, request, count }: KeyHeadersInput, key: string): void {
  const { inject, keyNames } = keys.settings;
  const isGateway = keys.role === "gateway";
  for (const form of inject) {
    const received = joinedValue(request.headers, form, ",");
    let value: string | undefined = key;
    if (form === "baggage") {
      const cleaned = isGateway ? cleanBaggage(received, keyNames.slice(1)) : received;
      value = injectBaggage(cleaned, { name: keyNames[0] ?? "routing-key", value: key });
    }
    if (value === undefined) count?.("baggage_full");
    // The gateway has removed what it received, so it always writes.
    else if (isGateway || value !== received) editor.set(form, value);
  }
}

/** Removes preview tokens, and keys other than that of the request, from headers, baggage and cookies. */
function removeOtherKeys(editor: HeaderEditor, { keys, request, key }: KeyHeadersInput): void {
  const { headers } = request;
  const { acceptExternalKeys, keyNames, tracestate } = keys.settings;
  const cookie = joinedValue(headers, "cookie", "; ");
  if (cookie !== undefined) {
    const kept = withoutCookies(cookie, gatewayCookies);
    if (kept === undefined) editor.remove("cookie");
    else if (kept !== cookie) editor.set("cookie", kept);
  }
  if (headers.get(previewHeader) !== undefined) editor.remove(previewHeader);
  if (acceptExternalKeys && key === undefined) return;
  for (const name of keys.keyHeaders) {
    const value = firstValue(headers, name);
    if (value !== undefined && (!acceptExternalKeys || value !== key?.key)) editor.remove(name);
  }
  const baggage = joinedValue(headers, "baggage", ",");
  const cleaned = cleanBaggage(baggage, keyNames);
  if (cleaned === undefined && baggage !== undefined) editor.remove("baggage");
  else if (cleaned !== undefined && cleaned !== baggage) editor.set("baggage", cleaned);
  // A member of tracestate must not be changed, but the header may be dropped as a whole.
  const state = tracestate.read ? joinedValue(headers, "tracestate", ",") : undefined;
  if (state !== undefined && keyNames.some((name) => hasOtherKey(state, name, key))) editor.remove("tracestate");
}

function cleanBaggage(baggage: string | undefined, names: readonly string[]): string | undefined {
  return baggage === undefined ? undefined : withoutBaggageMembers(baggage, names);
}

function hasOtherKey(tracestate: string, name: string, key: FoundKey | undefined): boolean {
  const value = findTracestateMember(tracestate, name);
  return value !== undefined && value !== key?.key;
}
