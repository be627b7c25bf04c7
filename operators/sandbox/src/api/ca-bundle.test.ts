import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { issue, makeAuthority } from "@homeostat/x509";
import { caBundleProblem } from "./ca-bundle.ts";

const validity = { validFrom: new Date("2026-01-01"), validUntil: new Date("2036-01-01") };
const authority = makeAuthority({ subject: { commonName: "shop CA" }, ...validity });
const leaf = issue(authority, { subject: { commonName: "web" }, hosts: ["web.shop.svc"], ...validity });

describe("caBundleProblem", () => {
  it("accepts one and several authorities, with comments between them", () => {
    assert.equal(caBundleProblem(authority.cert), undefined);
    assert.equal(caBundleProblem(`# old\n${authority.cert}\n# new\n${authority.cert}`), undefined);
  });

  const cases: readonly [title: string, bundle: string, says: RegExp][] = [
    ["text without a certificate", "PEM", /has no certificate/],
    ["a certificate of a server", authority.cert + leaf.cert, /index 1 that is not one of an authority/],
    ["a certificate that is cut", authority.cert.replace(/\n.{64}\n/, "\n"), /index 0 that cannot be read/],
  ];
  for (const [title, bundle, says] of cases)
    it(`refuses ${title}`, () => assert.match(caBundleProblem(bundle) ?? "", says));
});
