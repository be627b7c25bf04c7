import { ArgumentError } from "@homeostat/core";
import type { Conversion } from "@homeostat/schema";
import { answerAdmission } from "../admission/answer-admission.ts";
import type { AdmissionWebhook } from "../admission/define-admission.ts";
import { answerConversion } from "../conversion/answer-conversion.ts";
import type { Reply } from "../review/reply.ts";

/** What is served under one path. */
export interface Route {
  readonly bodyBytesMax: number;
  answer(body: Uint8Array, signal: AbortSignal): Promise<Reply>;
}

/** What a server serves. */
export interface RoutesOptions {
  readonly webhooks?: readonly AdmissionWebhook[];
  readonly conversions?: readonly Conversion[];
  /** Default `/convert`. */
  readonly conversionPath?: string;
  /** The largest review of an admission in bytes. Default 7 MiB: an object and what it was before, 3 MiB each. */
  readonly admissionBytesMax?: number;
  /** The largest review of a conversion in bytes. Default 128 MiB: a whole list may come at once. */
  readonly conversionBytesMax?: number;
}

const mebibyte = 1024 * 1024;

/** The routes by path. Throws an `ArgumentError` when two webhooks have the same. */
export function makeRoutes(options: RoutesOptions): Map<string, Route> {
  const { webhooks = [], conversions = [], conversionPath = "/convert" } = options;
  const { admissionBytesMax = 7 * mebibyte, conversionBytesMax = 128 * mebibyte } = options;
  const routes = new Map<string, Route>();
  const add = (path: string, route: Route): void => {
    if (!path.startsWith("/"))
      throw new ArgumentError({ argument: `path ${path}`, problem: "has to begin with a slash." });
    if (routes.has(path)) throw new ArgumentError({ argument: `path ${path}`, problem: "is used by two webhooks." });
    routes.set(path, route);
  };
  for (const webhook of webhooks) {
    add(webhook.path, {
      bodyBytesMax: admissionBytesMax,
      answer: (body, signal) => answerAdmission(webhook, body, { signal }),
    });
  }
  if (conversions.length > 0) {
    add(conversionPath, {
      bodyBytesMax: conversionBytesMax,
      answer: async (body) => answerConversion(conversions, body),
    });
  }
  return routes;
}
