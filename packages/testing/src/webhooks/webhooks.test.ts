import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defineConversion, defineResource, InvalidObjectError, s } from "@homeostat/schema";
import { mutatingWebhook, validatingWebhook } from "@homeostat/webhook";
import { objectOf } from "../reconcile/object-of.ts";
import { admit } from "./admit.ts";
import { convertTo } from "./convert-to.ts";

const Site = defineResource({
  group: "example.com",
  kind: "Site",
  versions: {
    v1: { storage: true, spec: { replicas: s.int().max(100).default(1), owner: s.string().optional() } },
    v1beta1: { spec: { size: s.int().default(1), owner: s.string().optional() } },
  },
});

const conversion = defineConversion(Site, {
  hub: "v1",
  spokes: {
    v1beta1: {
      toHub: ({ spec: { size: replicas, ...spec } }) => ({ spec: { ...spec, replicas } }),
      fromHub: ({ spec: { replicas: size, ...spec } }) => ({ spec: { ...spec, size } }),
    },
  },
});

const gate = validatingWebhook({
  for: Site,
  *validate({ spec }, old) {
    if (spec.replicas > 10) yield { field: "spec.replicas", message: "must be at most 10" };
    if (old !== undefined && spec.replicas < old.spec.replicas) yield { message: "shrinks the site", warn: true };
  },
  *validateDelete({ spec }) {
    if (spec.replicas > 5) yield { message: "is too large to be deleted" };
  },
});

const metadata = { namespace: "default", name: "shop" };
const site = (replicas: number) => objectOf(Site, { metadata, spec: { replicas } });

describe("admit", () => {
  it("returns the verdict of a validating webhook", async () => {
    const denied = await admit(gate, { object: site(11) });
    const shrunk = await admit(gate, { object: site(2), old: site(3) });

    assert.deepEqual([denied.allowed, denied.fields, denied.object], [false, ["spec.replicas"], undefined]);
    assert.match(denied.message ?? "", /must be at most 10/);
    assert.deepEqual([shrunk.allowed, shrunk.message, shrunk.warnings], [true, undefined, ["shrinks the site"]]);
    assert.equal((await admit(gate, { old: site(6) })).allowed, false);
  });

  it("returns the object that a mutating webhook has changed, for the user of the request", async () => {
    const owner = mutatingWebhook({
      for: Site,
      mutate: (object, _old, { user }) => ({ ...object, spec: { ...object.spec, owner: user.username } }),
    });

    const { object } = await admit(owner, { object: site(1), user: { username: "anna" } });

    assert.deepEqual(object?.spec, { replicas: 1, owner: "anna" });
  });

  it("throws the error of a webhook function", async () => {
    const broken = mutatingWebhook({
      for: Site,
      mutate: () => {
        throw new Error("no such tenant");
      },
    });

    await assert.rejects(admit(broken, { object: site(1) }), /no such tenant/);
  });
});

describe("convertTo", () => {
  it("converts between versions, in both directions", () => {
    const old = convertTo(conversion, Site.versions.v1beta1, site(3));
    const again = convertTo(conversion, Site.versions.v1, old);

    assert.equal(old.spec.size, 3);
    assert.equal(again.spec.replicas, 3);
  });

  it("rejects a result that violates the schema of the version", () => {
    const old = objectOf(Site.versions.v1beta1, { metadata, spec: { size: 101 } });

    assert.throws(() => convertTo(conversion, Site.versions.v1, old), InvalidObjectError);
  });
});
