import { ArgumentError } from "@homeostat/core";
import type { Conversion } from "@homeostat/schema";
import { answerAdmission } from "../admission/answer-admission.ts";
import type { AdmissionWebhook } from "../admission/define-admission.ts";
import { convertReview } from "../conversion/answer-conversion.ts";
import { defaultReviewLimits } from "../review/limits.ts";
import type { PiecewiseReply } from "../review/reply.ts";
import type { SliceScheduler } from "../work/slices.ts";

/** A webhook that is served under one path. */
export interface Route {
  readonly bodyBytesMax: number;
  /** True if only a client with a certificate may call it, where the server asks for one. */
  readonly needsClientCertificate: boolean;
  answer(body: Uint8Array, tools: RouteTools): Promise<PiecewiseReply>;
}

/** Dependencies of a route. */
export interface RouteTools {
  readonly signal: AbortSignal;
  readonly slices: SliceScheduler;
  /** Reserves memory for a long response; false when there is none left. */
  readonly reserve: (bytes: number) => boolean;
}

/** The webhooks of a server. */
export interface RoutesOptions {
  readonly webhooks?: readonly AdmissionWebhook[];
  readonly conversions?: readonly Conversion[];
  /** Default `/convert`. */
  readonly conversionPath?: string;
  /** The largest AdmissionReview in bytes. Default 7 MiB: an object and what it was before, 3 MiB each. */
  readonly admissionBytesMax?: number;
  /** The largest ConversionReview in bytes. Default 64 MiB: a whole list may come at once. */
  readonly conversionBytesMax?: number;
  /**
   * The most values of one object: elements of lists and fields of objects. Default 50,000, which takes less than 100 ms to
   * convert. Admission refuses larger objects, so that no object is stored which cannot be converted.
   */
  readonly objectValuesMax?: number;
}

const mebibyte = 1024 * 1024;

/** Returns the routes by path. Throws an `ArgumentError` when two webhooks have the same path. */
export function makeRoutes(options: RoutesOptions): Map<string, Route> {
  const { webhooks = [], conversions = [], conversionPath = "/convert" } = options;
  const { admissionBytesMax = 7 * mebibyte, conversionBytesMax = 64 * mebibyte } = options;
  const { objectValuesMax = defaultReviewLimits.objectValuesMax } = options;
  const limits = { ...defaultReviewLimits, objectValuesMax };
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
      needsClientCertificate: true,
      answer: (body, { signal, slices }) =>
        answerAdmission(webhook, body, { signal, limits, turn: () => slices.turn() }),
    });
  }
  if (conversions.length > 0) {
    add(conversionPath, {
      bodyBytesMax: conversionBytesMax,
      // An API server has no certificate for conversion webhooks: its configuration has one for admission only.
      needsClientCertificate: false,
      answer: (body, { signal, slices, reserve }) =>
        slices.run(convertReview(conversions, body, { limits, reserve }), signal),
    });
  }
  return routes;
}
