import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decidePreviewLink, type PreviewLinkInput } from "./preview-link.ts";

const published = {
  name: "web",
  host: "web--k3v.preview.test",
  target: "http://frontend.shop.svc:80",
  auth: "Token",
  path: "/",
  routingKey: "k3v",
} as const;
const input: PreviewLinkInput = {
  target: { kind: "Sandbox", name: "pr-42" },
  endpoint: "web",
  hasTarget: true,
  endpoints: ["web"],
  published,
  user: "jane",
  isAllowed: true,
  hasSigner: true,
  forUser: undefined,
  identifiesUsers: false,
};

describe("decidePreviewLink", () => {
  it("issues the token for the user who created the link", () => {
    assert.deepEqual(decidePreviewLink(input), { state: "issued", endpoint: published, user: "jane" });
  });

  it("issues a token that is bound to a user if gateways can identify users", () => {
    assert.equal(decidePreviewLink({ ...input, forUser: "bob", identifiesUsers: true }).state, "issued");
  });

  const refusals: readonly [change: Partial<PreviewLinkInput>, reason: string, text: RegExp][] = [
    [{ hasTarget: false }, "TargetMissing", /Sandbox pr-42 does not exist/],
    [{ endpoint: "admin" }, "EndpointMissing", /no endpoint admin; it has web/],
    [{ endpoints: [] }, "EndpointMissing", /it has none/],
    [{ user: undefined, isAllowed: undefined }, "CreatorUnknown", /did not record who created/],
    [{ isAllowed: false }, "AccessDenied", /user jane cannot get Sandbox pr-42/],
    [{ isAllowed: undefined }, "AccessDenied", /cannot get/],
    [{ published: undefined }, "EndpointNotServed", /see status.endpoints/],
    [{ hasSigner: false }, "WaitingForKeys", /not created a signing key/],
    [{ forUser: "bob" }, "IdentityUnavailable", /spec.forUser is "bob".*preview.forward.userHeader/],
  ];
  for (const [change, reason, text] of refusals) {
    it(`refuses with ${reason} for ${JSON.stringify(change)}`, () => {
      const decision = decidePreviewLink({ ...input, ...change });

      assert.equal(decision.state === "refused" && decision.reason, reason);
      assert.match(decision.state === "refused" ? decision.message : "", text);
    });
  }
});
