import { dns1035LabelProblems } from "@homeostat/core";
import type { Field } from "../../../validation/field.ts";

/** Validates an APIService except for its metadata; see `ValidateAPIService` in Kubernetes. */
export function checkApiService(object: Field): void {
  const spec = object.at("spec");
  const [group, version, service] = [spec.at("group"), spec.at("version"), spec.at("service")];
  if (group.text === "" && version.text !== "v1") {
    group.required("only v1 may have an empty group and it better be legacy kube");
  }
  if (group.text !== "") group.dnsSubdomain();
  for (const detail of dns1035LabelProblems(version.text)) version.invalid(detail, version.text);
  checkPriority(spec.at("groupPriorityMinimum"), 20_000);
  checkPriority(spec.at("versionPriority"), 1000);
  const [bundle, skipsVerification] = [spec.at("caBundle"), spec.at("insecureSkipTLSVerify")];
  const bytes = Buffer.from(bundle.text, "base64").length;
  if (!service.isSet) {
    if (bytes > 0) bundle.invalid("local APIServices may not have a caBundle", `${bytes} bytes`);
    if (skipsVerification.value === true)
      skipsVerification.invalid("local APIServices may not have insecureSkipTLSVerify");
    return;
  }
  if (service.at("namespace").text === "") service.at("namespace").required();
  if (service.at("name").text === "") service.at("name").required();
  const port = service.at("port");
  if (port.number < 1 || port.number > 65535) {
    port.invalid("port is not valid: must be between 1 and 65535, inclusive");
  }
  if (skipsVerification.value === true && bytes > 0)
    skipsVerification.invalid("may not be true if caBundle is present");
}

function checkPriority(priority: Field, max: number): void {
  if (priority.number <= 0 || priority.number > max)
    priority.invalid(`must be positive and less than ${max}`, priority.number);
}
