import { ArgumentError } from "@homeostat/core";
import type { Conversion } from "@homeostat/schema";
import { handleAdmissionReview } from "../admission/admission-review.ts";
import type { AdmissionWebhook } from "../admission/define-admission.ts";
import { convertReview } from "../conversion/conversion-review.ts";
import { defaultReviewLimits } from "../review/limits.ts";
import { admissionBytesMax, conversionBytesMax } from "./limits.ts";
import type { ChunkedResponse } from "../review/response.ts";
import type { SliceScheduler } from "../work/slices.ts";

/** A webhook that is served at one path. */
export interface Route {
  readonly bodyBytesMax: number;
  /** True if only clients with a certificate may call it, provided that the server requires certificates. */
  readonly needsClientCertificate: boolean;
  handle(body: Uint8Array, tools: RouteTools): Promise<ChunkedResponse>;
}

/** Dependencies of a route. */
export interface RouteTools {
  readonly signal: AbortSignal;
  readonly slices: SliceScheduler;
  /** Reserves memory for a long response; returns false if there is none left. */
  readonly reserve: (bytes: number) => boolean;
}

/** The webhooks of a server. */
export interface RoutesOptions {
  readonly webhooks?: readonly AdmissionWebhook[];
  readonly conversions?: readonly Conversion[];
  /** Path of the conversion webhook. Default `/convert`. */
  readonly conversionPath?: string;
  /** Maximum size of an AdmissionReview in bytes. Default 7 MiB: an object and its old version, 3 MiB each. */
  readonly admissionBytesMax?: number;
  /** Maximum size of a ConversionReview in bytes. Default 64 MiB: it may contain a whole list. */
  readonly conversionBytesMax?: number;
  /**
   * Maximum number of values of one object: elements of lists and fields of objects. Default 50,000, which take less
   * than 100 ms to convert. Admission refuses larger objects, so that no object is stored that cannot be converted.
   */
  readonly objectValuesMax?: number;
}

/** Returns the routes by path. Throws an `ArgumentError` if two webhooks have the same path. */
export function makeRoutes(options: RoutesOptions): Map<string, Route> {
  const { webhooks = [], conversions = [], conversionPath = "/convert" } = options;
  const { admissionBytesMax: admissionMax = admissionBytesMax } = options;
  const { conversionBytesMax: conversionMax = conversionBytesMax } = options;
  const { objectValuesMax = defaultReviewLimits.objectValuesMax } = options;
  const limits = { ...defaultReviewLimits, objectValuesMax };
  const routes = new Map<string, Route>();
  const add = (path: string, route: Route): void => {
    if (!path.startsWith("/"))
      throw new ArgumentError({ argument: `path ${path}`, problem: "must begin with a slash." });
    if (routes.has(path)) throw new ArgumentError({ argument: `path ${path}`, problem: "is used by two webhooks." });
    routes.set(path, route);
  };
  for (const webhook of webhooks) {
    add(webhook.path, {
      bodyBytesMax: admissionMax,
      needsClientCertificate: true,
      handle: (body, { signal, slices }) =>
        handleAdmissionReview(webhook, body, { signal, limits, turn: () => slices.turn() }),
    });
  }
  if (conversions.length > 0) {
    add(conversionPath, {
      bodyBytesMax: conversionMax,
      // API servers cannot be configured with a client certificate for conversion webhooks, only for admission.
      needsClientCertificate: false,
      handle: (body, { signal, slices, reserve }) =>
        slices.run(convertReview(conversions, body, { limits, reserve }), signal),
    });
  }
  return routes;
}
