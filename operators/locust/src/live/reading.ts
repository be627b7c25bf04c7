import { isRecord, ownValue, ParseError } from "@homeostat/core";
import type { Snapshot } from "./live-stats.ts";
import { parseStats } from "./parse-stats.ts";
import type { WebAnswer } from "./web.ts";

/** What one question for the numbers of a run came to. */
export type Reading =
  | { readonly type: "snapshot"; readonly snapshot: Snapshot }
  /** The master wants somebody to log in first. */
  | { readonly type: "login"; readonly message: string }
  | { readonly type: "failure"; readonly message: string };

/** Reads the answer to `/stats/requests`, whatever it is. Never throws. */
export function readingOf(answer: WebAnswer, at: number): Reading {
  if (answer.type === "failure") return answer;
  const { status, contentType, body } = answer;
  const isRedirect = status >= 300 && status < 400 && status !== 304;
  // With a login, Locust sends whoever has none to its login page, or shows that page at once.
  const isPage = status === 200 && (/^\s*text\/html\b/i.test(contentType) || /^\s*<(?:!doctype|html)/i.test(body));
  if (isRedirect || isPage || status === 401)
    return { type: "login", message: "The master's web interface asks for a login" };
  if (status !== 200) return { type: "failure", message: `answered ${status}${statusText(body)}` };
  try {
    return { type: "snapshot", snapshot: parseStats(body, at) };
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return { type: "failure", message: error.message };
  }
}

/** What an API server says about a refusal of its own. */
function statusText(body: string): string {
  if (!body.startsWith("{") || body.length > 10_000) return "";
  try {
    const value: unknown = JSON.parse(body);
    const message = isRecord(value) && ownValue(value, "kind") === "Status" ? ownValue(value, "message") : undefined;
    return typeof message === "string" ? `: ${message.slice(0, 200)}` : "";
  } catch {
    return "";
  }
}
