import type { ServerExtension } from "../server/api-server.ts";
import { type AskConversion, CustomResources } from "./custom-resources.ts";

/** How custom resources are added to a server. */
export interface CustomResourcesExtensionOptions {
  /** Asks a conversion webhook. Without it conversion by webhooks fails. */
  readonly askConversion?: AskConversion;
  /** Told of what went wrong where nobody waits for an answer. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Makes a server serve custom resources.
 *
 * @example
 * const server = new ApiServer({ extensions: [withCustomResources()] });
 */
export function withCustomResources({ askConversion, onError }: CustomResourcesExtensionOptions = {}): ServerExtension {
  const ask: AskConversion =
    askConversion ?? (() => Promise.reject(new Error("conversion webhooks are not asked here")));
  return (tools) =>
    new CustomResources({ ...tools, askConversion: ask, ...(onError === undefined ? {} : { onError }) });
}
