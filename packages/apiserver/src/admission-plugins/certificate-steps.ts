// Checks who may approve and sign CertificateSigningRequests, and refuses requests for system:masters.

import { quote } from "@homeostat/cel";
import { isEqual } from "@homeostat/core";
import type { Authorizer } from "../auth/attributes.ts";
import { type User, wellKnown } from "../auth/user.ts";
import { readSigningRequest } from "../kinds/certificates/certificatesigningrequest/pkcs10.ts";
import { textAt, valueAt } from "../values/fields.ts";
import type { AdmissionStep } from "../admission/admission.ts";
import { forbid, isAbout, resourceOf } from "../admission/forbid.ts";

const signingRequests = "certificatesigningrequests.certificates.k8s.io";
const clientSigner = "kubernetes.io/kube-apiserver-client";

/** Returns the step that requires the `approve` verb on the signer of the request. */
export function certificateApproval(authorizer: Authorizer): AdmissionStep {
  return {
    name: "CertificateApproval",
    validate: (request) => {
      const { operation, subresource, user } = request;
      if (operation !== "UPDATE" || subresource !== "approval" || resourceOf(request) !== signingRequests) return;
      // Use the signer of the stored object: the client controls the body.
      const signer = textAt(request.oldObject, "spec", "signerName");
      if (!mayUseSigner(authorizer, user, { verb: "approve", signer }))
        throw forbid(request, `user not permitted to approve requests with signerName ${quote(signer)}`);
    },
  };
}

/** Returns the step that requires the `sign` verb on the signer when the certificate or the conditions change. */
export function certificateSigning(authorizer: Authorizer): AdmissionStep {
  return {
    name: "CertificateSigning",
    validate: (request) => {
      const { operation, subresource, user, object, oldObject } = request;
      if (operation !== "UPDATE" || subresource !== "status" || resourceOf(request) !== signingRequests) return;
      const isUnchanged = ["certificate", "conditions"].every((field) =>
        isEqual(valueAt(object, "status", field), valueAt(oldObject, "status", field)),
      );
      if (isUnchanged) return;
      const signer = textAt(oldObject, "spec", "signerName");
      if (!mayUseSigner(authorizer, user, { verb: "sign", signer }))
        throw forbid(request, `user not permitted to sign requests with signerName ${quote(signer)}`);
    },
  };
}

/** Refuses client certificate requests for the group `system:masters`, which RBAC cannot restrict. */
export const certificateSubjectRestriction: AdmissionStep = {
  name: "CertificateSubjectRestriction",
  validate: (request) => {
    if (request.operation !== "CREATE" || !isAbout(request, signingRequests)) return;
    if (textAt(request.object, "spec", "signerName") !== clientSigner) return;
    const parsed = readSigningRequest(textAt(request.object, "spec", "request"));
    if (typeof parsed === "string") throw forbid(request, `failed to parse CSR: ${parsed}`);
    if (parsed.organizations.includes(wellKnown.masters))
      throw forbid(request, `use of ${clientSigner} signer with ${wellKnown.masters} group is not allowed`);
  },
};

/** Reports whether a user has a verb on a signer, or on all signers of its domain. */
function mayUseSigner(
  authorizer: Authorizer,
  user: User,
  { verb, signer }: { readonly verb: string; readonly signer: string },
): boolean {
  const [domain = ""] = signer.split("/");
  return [signer, `${domain}/*`].some(
    (name) =>
      authorizer.authorize({
        user,
        verb,
        group: "certificates.k8s.io",
        resource: "signers",
        subresource: "",
        namespace: "",
        name,
      }).isAllowed,
  );
}
