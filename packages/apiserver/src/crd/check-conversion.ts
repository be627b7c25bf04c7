import { X509Certificate } from "node:crypto";
import { checkServiceReference, checkUrl, includesKnownReviewVersion } from "../validation/webhook-client.ts";
import type { Field } from "../validation/field.ts";
import { invalidJson } from "./problems.ts";

const unneeded = "should not be set when strategy is not set to Webhook";

/** Options of {@link checkConversion}. */
export interface ConversionStrictness {
  /**
   * True if an invalid CA bundle is accepted: because the webhook is not in use yet, or because the stored bundle is
   * invalid too.
   */
  readonly allowsBadBundle: boolean;
}

/**
 * Validates `spec.conversion`.
 *
 * Paths are those of the real server, whose internal type has the webhook fields in another location than the
 * definition.
 */
export function checkConversion(conversion: Field, { allowsBadBundle }: ConversionStrictness): void {
  if (!conversion.isSet) return;
  const strategy = conversion.at("strategy");
  strategy.oneOf(["None", "Webhook"], { isRequired: true });
  const webhook = conversion.at("webhook");
  const client = webhook.at("clientConfig").as(`${conversion.path}.webhookClientConfig`);
  const versions = webhook.at("conversionReviewVersions").as(`${conversion.path}.conversionReviewVersions`);
  if (strategy.text !== "Webhook") {
    if (client.isSet) client.forbidden(unneeded);
    if (versions.length > 0) versions.forbidden(unneeded);
    return;
  }
  if (!client.isSet) client.required("required when strategy is set to Webhook");
  else checkClient(client, allowsBadBundle);
  checkReviewVersions(versions);
}

function checkClient(client: Field, allowsBadBundle: boolean): void {
  const [url, service, bundle] = [client.at("url"), client.at("service"), client.at("caBundle")];
  if (url.isSet === service.isSet) client.required("exactly one of url or service is required");
  else if (url.isSet) checkUrl(url);
  else checkServiceReference(service);
  if (bundle.text === "" || allowsBadBundle) return;
  const problem = bundleProblem(bundle.text);
  if (problem !== undefined) invalidJson(bundle, problem, bundle.text);
}

function checkReviewVersions(versions: Field): void {
  if (versions.length === 0) {
    versions.required();
    return;
  }
  if (!includesKnownReviewVersion(versions)) {
    invalidJson(versions, "must include at least one of v1, v1beta1", versions.value);
  }
}

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const begin = "unable to load root certificates: ";

/** Returns why a base64 `caBundle` contains no usable certificate; undefined if it does, or if it is empty. */
export function bundleProblem(bundle: string): string | undefined {
  if (bundle === "") return undefined;
  const pem = Buffer.from(bundle, "base64").toString("utf8");
  const blocks = pem.match(certificate) ?? [];
  if (blocks.some(isCertificate)) return undefined;
  if (blocks.length > 0) return `${begin}failed to parse certificate: x509: malformed certificate`;
  const hasOtherBlocks = /-----BEGIN [^-]+-----[^-]+-----END [^-]+-----\s*$/.test(pem);
  return `${begin}${hasOtherBlocks ? "no valid certificate authority data seen" : "unable to parse bytes as PEM block"}`;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    // OpenSSL's error text would differ from Go's; the caller has the message of the real server.
    return false;
  }
}
