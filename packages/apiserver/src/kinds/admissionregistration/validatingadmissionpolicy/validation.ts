import { boolType, nullType, stringType } from "@homeostat/cel";
import type { EnvironmentForm } from "../../../admission/cel/environment.ts";
import type { Field } from "../../../validation/field.ts";
import { checkExpression, checkPolicyHead } from "../policies.ts";

const annotationsMax = 20;

const annotationBytesMax = 5 * 1024;

const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"];

/** Validates a ValidatingAdmissionPolicy except for its metadata; see `ValidateValidatingAdmissionPolicy` in Kubernetes. */
export function checkValidatingPolicy(object: Field): void {
  const spec = object.at("spec");
  const form = checkPolicyHead(spec);
  const [validations, annotations] = [spec.at("validations"), spec.at("auditAnnotations")];
  if (validations.length === 0 && annotations.length === 0) {
    const detail = "validations or auditAnnotations must contain at least one item";
    validations.required(detail);
    annotations.required(detail);
    return;
  }
  for (const validation of validations.items()) checkValidation(validation, form);
  checkAnnotations(annotations, { form, name: object.at("metadata").at("name").text });
}

function checkValidation(validation: Field, form: EnvironmentForm): void {
  const [expression, messageExpression, message] = ["expression", "messageExpression", "message"].map((name) =>
    validation.at(name),
  );
  if (expression === undefined || messageExpression === undefined || message === undefined) return;
  if (expression.text.trim() === "") expression.required("expression is not specified");
  else checkExpression(expression, { source: expression.text, form, types: [boolType] });
  if (messageExpression.text !== "" && messageExpression.text.trim() === "")
    messageExpression.invalid("must be non-empty if specified");
  else if (messageExpression.text !== "") {
    checkExpression(messageExpression, {
      source: messageExpression.text,
      form: { ...form, hasAuthorizer: false },
      types: [stringType],
    });
  }
  if (message.text !== "" && message.text.trim() === "") message.invalid("must be non-empty if specified");
  else if (/[\n\r]/.test(message.text.trim())) message.invalid("must not contain line breaks");
  const reason = validation.at("reason");
  if (reason.isSet && !reasons.includes(reason.text)) reason.notSupported(reasons);
}

function checkAnnotations(
  annotations: Field,
  { form, name }: { readonly form: EnvironmentForm; readonly name: string },
): void {
  if (annotations.length > annotationsMax) {
    annotations.invalid(`must not have more than ${annotationsMax} auditAnnotations`);
  }
  const keys = new Set<string>();
  for (const annotation of annotations.items()) {
    const [key, value] = [annotation.at("key"), annotation.at("valueExpression")];
    if (name === "") key.invalid("requires metadata.name be non-empty");
    else key.with(`${name}/${key.text}`).qualifiedName();
    const source = value.text.trim();
    if (source === "") value.required("valueExpression is not specified");
    else if (Buffer.byteLength(source) > annotationBytesMax) {
      value.required(`must not exceed ${annotationBytesMax} bytes in length`);
    } else checkExpression(value, { source, shown: value.text, form, types: [stringType, nullType] });
    if (keys.has(key.text)) key.duplicate();
    keys.add(key.text);
  }
}

/** Checks that each warning of type checking names its expression. */
export function checkPolicyStatus(object: Field): void {
  for (const warning of object.at("status").at("typeChecking").at("expressionWarnings").items()) {
    if (warning.at("warning").text === "") warning.at("warning").required();
    if (warning.at("fieldRef").text.trim() === "") warning.at("fieldRef").required();
  }
}
