import { quote } from "@homeostat/cel";
import { dns1035LabelProblems, dnsSubdomainProblems } from "@homeostat/core";
import type { Field } from "./field.ts";

const form = "; desired format: https://host[/path]";

/** Checks the URL of a webhook. */
export function checkUrl(field: Field): void {
  const escape = /%(?![0-9a-f]{2}).{0,2}/is.exec(field.text)?.[0];
  if (escape !== undefined) {
    field.required(`url must be a valid URL: parse ${quote(field.text)}: invalid URL escape ${quote(escape)}${form}`);
    return;
  }
  if (!URL.canParse(field.text)) {
    // Go parses a string without a scheme as a path, so both errors apply.
    field.invalid(`'https' is the only allowed URL scheme${form}`, "");
    field.invalid(`host must be specified${form}`, "");
    return;
  }
  const url = new URL(field.text);
  const scheme = url.protocol.slice(0, -1);
  if (scheme !== "https") field.invalid(`'https' is the only allowed URL scheme${form}`, scheme);
  if (url.host === "") field.invalid(`host must be specified${form}`, "");
  if (url.username !== "") {
    field.invalid(
      "user information is not permitted in the URL",
      url.password === "" ? url.username : `${url.username}:${url.password}`,
    );
  }
  if (url.hash !== "") field.invalid("fragments are not permitted in the URL", url.hash.slice(1));
  if (url.search !== "") field.invalid("query parameters are not permitted in the URL", url.search.slice(1));
}

/** Checks the reference to the Service of a webhook. */
export function checkServiceReference(service: Field): void {
  // kube-apiserver reports a missing namespace under `name` and a missing name under `namespace`.
  if (service.at("namespace").text === "") service.at("name").required();
  if (service.at("name").text === "") service.at("namespace").required();
  const port = service.at("port");
  if (port.number < 1 || port.number > 65535) {
    port.invalid("port is not valid: must be between 1 and 65535, inclusive", port.number);
  }
  const path = service.at("path");
  if (!path.isSet || path.text === "" || path.text === "/") return;
  if (path.text === "//") {
    path.invalid("segment[0] may not be empty");
    return;
  }
  if (!path.text.startsWith("/")) path.invalid("must start with a '/'");
  // kube-apiserver skips the first byte even when it is not a slash.
  const rest = Buffer.from(path.text, "utf8").subarray(1).toString("utf8");
  for (const [index, step] of rest.replace(/\/$/, "").split("/").entries()) {
    if (step === "") path.invalid(`segment[${index}] may not be empty`);
    else for (const detail of dnsSubdomainProblems(step)) path.invalid(`segment[${index}]: ${detail}`);
  }
}

/**
 * Checks each of the `*ReviewVersions` that a webhook accepts. Returns false if the API server can send none of them, which
 * the caller reports: webhooks of CRDs and of admission show the value differently.
 */
export function includesKnownReviewVersion(versions: Field): boolean {
  const seen = new Set<string>();
  for (const version of versions.items()) {
    if (seen.has(version.text)) {
      version.invalid("duplicate version");
      continue;
    }
    seen.add(version.text);
    version.each(dns1035LabelProblems(version.text));
  }
  return seen.has("v1") || seen.has("v1beta1");
}
