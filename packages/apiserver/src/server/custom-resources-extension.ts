import { type ServiceResolver, WebhookClient } from "../admission/webhooks/webhook-client.ts";
import type { ServerExtension } from "./api-server.ts";
import { type CallConversionWebhook, CustomResources } from "../crd/custom-resources.ts";

/** Options of custom resources in a server. */
export interface CustomResourcesExtensionOptions {
  /** Resolves Services of conversion webhooks. Without it, only webhooks with a URL can be called. */
  readonly resolveService?: ServiceResolver;
  /** Called with errors of background work. */
  readonly onError?: (error: unknown) => void;
}

const timeoutSeconds = 30;

/**
 * Returns the server extension that serves custom resources.
 *
 * @example
 * const server = new ApiServer({ extensions: [withCustomResources()] });
 */
export function withCustomResources(options: CustomResourcesExtensionOptions = {}): ServerExtension {
  const { onError, resolveService = ({ name }) => `service ${JSON.stringify(name)} not found` } = options;
  return (tools) => {
    const client = new WebhookClient({ clock: tools.clock, resolveService });
    const stop = new AbortController();
    const callConversionWebhook: CallConversionWebhook = ({ url, service, caBundle }, body) => {
      // A bundle of only whitespace counts as empty.
      const hasBundle = Buffer.from(caBundle, "base64").toString("latin1").trim() !== "";
      const target = { url, service, ...(hasBundle ? { caBundle } : {}) };
      return client.post(target, body, { timeoutSeconds, signal: stop.signal });
    };
    const resources = new CustomResources({
      ...tools,
      callConversionWebhook,
      ...(onError === undefined ? {} : { onError }),
    });
    return {
      [Symbol.dispose]: () => {
        stop.abort();
        resources[Symbol.dispose]();
        client.close();
      },
    };
  };
}
