import { hopByHopNames, isHopByHop } from "../checks/header-names.ts";
import type { Decision } from "../decide/decision.ts";
import type { CountError } from "../key/key-steps.ts";
import type { KeyReader } from "../key/key-reader.ts";
import { gatewayParameters } from "../preview/preview-names.ts";
import { firstValue, joinedValue, sliceTrimmed } from "../request/header-value.ts";
import { withoutParameters } from "../request/query-parameters.ts";
import type { HeaderSource, RequestView } from "../request/request-view.ts";
import { type HeaderEdits, HeaderEditor } from "./header-edits.ts";
import { editKeyHeaders } from "./key-headers.ts";

/** A request to forward. */
export interface ForwardingInput {
  readonly keys: KeyReader;
  readonly request: RequestView;
  readonly decision: Decision;
  /** Scheme of the connection on which the request arrived. */
  readonly scheme: "http" | "https";
  /** `host` or `:authority` of the request. */
  readonly authority?: string | undefined;
  /** True for a request to switch protocols, such as that of a WebSocket. */
  readonly isUpgrade?: boolean | undefined;
  readonly count?: CountError | undefined;
}

/** Changes of a request on its way through the proxy. */
export type ForwardingPlan =
  | ({
      readonly type: "forward";
      /** Path and query to forward. */
      readonly path: string;
    } & HeaderEdits)
  /** The request passed too many proxies; the proxy responds with status 508. */
  | { readonly type: "loop" };

/** Name of the header that counts the proxies which a request has passed. */
export const hopsHeaderName = "x-sandbox-hops";
const hopsMax = 16;
/** Name of the header that marks a request whose key was restored from its trace. */
const restoredHeaderName = "x-sandbox-restored";

/** Headers that frame or address a message. A client cannot have them removed by naming them in `connection`. */
const framing: ReadonlySet<string> = new Set(["content-length", "host", "transfer-encoding"]);

/**
 * Plans the headers of a forwarded request: removes those of the connection, adds those of proxies, writes the routing key, and
 * sets the headers of the route last. `host` and `:authority` stay as they are.
 */
export function planForwarding(input: ForwardingInput): ForwardingPlan {
  const { keys, request, decision, count } = input;
  const hops = hopsOf(request.headers) + 1;
  if (hops > hopsMax) {
    count?.("loop");
    return { type: "loop" };
  }
  const editor = new HeaderEditor();
  removeConnectionHeaders(editor, input);
  addProxyHeaders(editor, input);
  editor.set(hopsHeaderName, String(hops));
  const isKnown = decision.type !== "baseline" || (decision.reason !== "unknown-key" && decision.reason !== "probe");
  editKeyHeaders(editor, { keys, request, key: decision.key, isKnown, count });
  if (decision.key?.source === "restored") editor.set(restoredHeaderName, "1");
  if (decision.type === "entry") {
    const own = keys.keyHeaders;
    for (const [name, value] of decision.route.additionalHeaders) if (!own.includes(name)) editor.set(name, value);
  }
  const path = keys.role === "gateway" ? withoutParameters(request.path, gatewayParameters) : request.path;
  const { remove, set } = editor.edits();
  return { type: "forward", path, remove, set };
}

/** Returns the number of proxies that a request has passed. A value that no proxy writes counts as none. */
function hopsOf(headers: HeaderSource): number {
  const value = firstValue(headers, hopsHeaderName);
  return value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : 0;
}

function removeConnectionHeaders(editor: HeaderEditor, { request, isUpgrade = false }: ForwardingInput): void {
  const { headers } = request;
  const options = joinedValue(headers, "connection", ",");
  for (const option of options?.split(",") ?? []) {
    const name = sliceTrimmed(option, 0, option.length).toLowerCase();
    if (name !== "" && !framing.has(name) && !isHopByHop(name)) editor.remove(name);
  }
  for (const name of hopByHopNames) {
    if (headers.get(name) === undefined) continue;
    if (isUpgrade && name === "upgrade") continue;
    // gRPC requires that `te: trailers` passes.
    if (name === "te" && isTrailers(headers)) continue;
    if (isUpgrade && name === "connection") editor.set(name, "upgrade");
    else editor.remove(name);
  }
}

function isTrailers(headers: HeaderSource): boolean {
  return firstValue(headers, "te")?.toLowerCase() === "trailers";
}

function addProxyHeaders(editor: HeaderEditor, { request, scheme, authority }: ForwardingInput): void {
  const { headers, clientAddress } = request;
  if (clientAddress !== undefined) append(editor, headers, "x-forwarded-for", clientAddress);
  if (headers.get("x-forwarded-proto") === undefined) editor.set("x-forwarded-proto", scheme);
  if (headers.get("x-forwarded-host") === undefined && authority !== undefined)
    editor.set("x-forwarded-host", authority);
  append(editor, headers, "via", "1.1 sandbox-proxy");
}

function append(editor: HeaderEditor, headers: HeaderSource, name: string, value: string): void {
  const before = joinedValue(headers, name, ", ");
  editor.set(name, before === undefined || before === "" ? value : `${before}, ${value}`);
}
