import { type ServiceResolver, WebhookClient } from "../admission/webhooks/webhook-client.ts";
import type { ServerExtension } from "../server/api-server.ts";
import { type AskConversion, CustomResources } from "./custom-resources.ts";

/** How custom resources are added to a server. */
export interface CustomResourcesExtensionOptions {
  /** Finds the webhooks that are behind a Service. Without it only those with a URL are asked. */
  readonly resolveService?: ServiceResolver;
  /** Told of what went wrong where nobody waits for an answer. */
  readonly onError?: (error: unknown) => void;
}

const timeoutSeconds = 30;

/**
 * Makes a server serve custom resources.
 *
 * @example
 * const server = new ApiServer({ extensions: [withCustomResources()] });
 */
export function withCustomResources(options: CustomResourcesExtensionOptions = {}): ServerExtension {
  const { onError, resolveService = ({ name }) => `service ${JSON.stringify(name)} not found` } = options;
  return (tools) => {
    const client = new WebhookClient({ clock: tools.clock, resolveService });
    const stop = new AbortController();
    const askConversion: AskConversion = ({ url, service, caBundle }, body) => {
      // Whitespace counts as nothing.
      const isBundled = Buffer.from(caBundle, "base64").toString("latin1").trim() !== "";
      const target = { url, service, ...(isBundled ? { caBundle } : {}) };
      return client.post(target, body, { timeoutSeconds, signal: stop.signal });
    };
    const resources = new CustomResources({
      ...tools,
      askConversion,
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
