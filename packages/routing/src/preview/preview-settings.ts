import { isToken } from "../checks/header-names.ts";
import { type FieldProblem, FieldReader, ProblemList } from "../checks/field-reader.ts";

/** Settings of all preview hosts, as the route server sends them to gateways. */
export interface PreviewSettings {
  /** Public keys of preview tokens. */
  readonly keys: readonly PreviewKey[];
  /** True if clients use https, so cookies are marked as secure. */
  readonly isSecure: boolean;
  /** Service that decides about the requests of hosts with `auth: Forward`. Without it they are refused. */
  readonly forward?: ForwardSettings | undefined;
}

/** A public key of preview tokens. */
export interface PreviewKey {
  readonly id: string;
  /** Ed25519 public key: 32 bytes in base64url. */
  readonly key: string;
}

/** Service that the gateway asks about requests. */
export interface ForwardSettings {
  readonly url: string;
  /** Lower-case names of response headers that are copied to the forwarded request. */
  readonly headers: readonly string[];
  readonly timeoutMs: number;
  /** Lower-case name of the response header with the name of the user. Without it, links that are bound to a user are refused. */
  readonly userHeader?: string | undefined;
}

/** Settings without keys: every request that needs a token is refused. */
export const noPreviewSettings: PreviewSettings = { keys: [], isSecure: true };

/** Preview settings read from JSON. Invalid parts are omitted, so requests that need them are refused. */
export interface ParsedPreview {
  readonly settings: PreviewSettings;
  readonly problems: readonly FieldProblem[];
}

const keysMax = 8;
const headersMax = 32;
const timeoutRange = { min: 1, max: 60_000 };
const defaultTimeoutMs = 2_000;

/** Reads preview settings from JSON. */
export function parsePreviewSettings(value: unknown): ParsedPreview {
  const problems = new ProblemList();
  const reader = FieldReader.of(value, "preview", problems);
  if (reader === undefined) return { settings: noPreviewSettings, problems: problems.list() };
  const keys = reader.optionalList("keys", keysMax, (each, path) => previewKey(each, path, problems)) ?? [];
  const forward = reader.optionalObject("forward");
  const read = forward && forwardSettings(forward, problems);
  const isSecure = reader.optionalBoolean("isSecure") ?? true;
  return { settings: { keys, isSecure, ...(read !== undefined && { forward: read }) }, problems: problems.list() };
}

function previewKey(value: unknown, path: string, problems: ProblemList): PreviewKey | undefined {
  const before = problems.count;
  const reader = FieldReader.of(value, path, problems);
  if (reader === undefined) return undefined;
  const id = reader.text("id", (text) => (/^[\w.-]{1,64}$/.test(text) ? undefined : "must be the id of a key"));
  const key = reader.text("key", (text) =>
    /^[\w-]{43}$/.test(text) ? undefined : "must be an Ed25519 public key: 32 bytes in base64url",
  );
  return problems.count === before ? { id, key } : undefined;
}

function forwardSettings(reader: FieldReader, problems: ProblemList): ForwardSettings | undefined {
  const before = problems.count;
  const url = reader.text("url", (text) =>
    /^https?:\/\//.test(text) && URL.canParse(text) ? undefined : "must be an http or https URL",
  );
  const headers = reader.optionalTexts("headers", headersMax, (text) =>
    isToken(text) ? undefined : "must be the name of a header",
  );
  const timeoutMs = reader.optionalInteger("timeoutMs", timeoutRange) ?? defaultTimeoutMs;
  const userHeader = reader.optionalText("userHeader", (text) =>
    isToken(text) ? undefined : "must be the name of a header",
  );
  if (problems.count > before) return undefined;
  return {
    url,
    timeoutMs,
    headers: (headers ?? []).map((name) => name.toLowerCase()),
    ...(userHeader !== undefined && { userHeader: userHeader.toLowerCase() }),
  };
}
