import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dns1035LabelProblems } from "@homeostat/core";
import {
  baselineServiceName,
  forkName,
  forkServiceName,
  hash8,
  localServiceName,
  previewHost,
  provisionName,
  serviceAddress,
  shareHost,
  tunnelHost,
} from "./names.ts";

const sandbox = { name: "pr-42", uid: "6d0f6f1e-0b9a-4b5e-9c1d-2f5a3c8e7b10" };
const cart = { kind: "Deployment", namespace: "shop", name: "cart" };

describe("hash8", () => {
  it("is part of the SHA-256 of the parts and keeps their boundaries apart", () => {
    assert.match(hash8(["a"]), /^[0-9a-f]{8}$/);
    assert.equal(hash8(["a", "b"]), hash8(["a", "b"]));
    assert.notEqual(hash8(["a", "b"]), hash8(["ab"]));
    assert.notEqual(hash8(["a-b", "c"]), hash8(["a", "b-c"]));
  });

  it("never changes: objects are found by these names after an upgrade", () => {
    assert.equal(hash8(["a", "b"]), "0473ef2d");
    assert.equal(forkName(sandbox, "cart", cart), "pr-42-cart-e3b33057");
  });
});

describe("names of forks", () => {
  const long = "n".repeat(63);

  it("differ by everything that identifies the fork", () => {
    const names = [
      forkName(sandbox, "cart", cart),
      forkName({ ...sandbox, uid: "other" }, "cart", cart),
      forkName(sandbox, "basket", cart),
      forkName(sandbox, "cart", { ...cart, kind: "StatefulSet" }),
      forkName(sandbox, "cart", { ...cart, namespace: "other" }),
      forkName(sandbox, "cart", { ...cart, name: "cart.v2" }),
    ];

    assert.equal(new Set(names).size, names.length);
  });

  it("are names of Services, whatever the parts are", () => {
    const sandboxes = [
      sandbox,
      { ...sandbox, name: "42" },
      { ...sandbox, name: long },
      { ...sandbox, name: `a${"-".repeat(61)}b` },
    ];
    for (const each of sandboxes) {
      for (const name of ["cart", "a.b.c", long, `${"a".repeat(48)}-${"b".repeat(14)}`, "9"]) {
        const made = [
          forkName(each, "cart", { ...cart, name }),
          forkServiceName(each, "cart", { namespace: "shop", name }),
          localServiceName(each, { name: "jane", service: name }),
          provisionName(each, name, "create"),
        ];
        for (const one of made) assert.deepEqual(dns1035LabelProblems(one), [], one);
        assert.equal(new Set(made).size, made.length);
      }
    }
  });

  it("start with the sandbox and the baseline, cut to fit", () => {
    assert.match(forkServiceName(sandbox, "cart", { namespace: "shop", name: "cart" }), /^pr-42-cart-[0-9a-f]{8}$/);
    assert.match(forkName({ ...sandbox, name: "42" }, "cart", cart), /^s-42-cart-[0-9a-f]{8}$/);
    assert.match(forkName({ ...sandbox, name: long }, "cart", cart), /^n{54}-[0-9a-f]{8}$/);
  });
});

describe("baselineServiceName", () => {
  it("adds a suffix, and a hash where the name is too long for it", () => {
    const [longest, longer, longerStill] = [57, 58, 63].map((length) => "c".repeat(length));

    assert.equal(baselineServiceName("cart"), "cart--base");
    assert.equal(baselineServiceName(longest ?? ""), `${longest}--base`);
    assert.match(baselineServiceName(longer ?? ""), /^c{48}--base-[0-9a-f]{8}$/);
    assert.notEqual(baselineServiceName(longer ?? ""), baselineServiceName(longerStill ?? ""));
    assert.equal(baselineServiceName(longerStill ?? "").length, 63);
  });
});

describe("addresses", () => {
  const domain = "preview.example.com";

  it("are those of Services within the cluster", () => {
    assert.equal(serviceAddress("pr-42-cart-1a2b3c4d", "shop", 80), "pr-42-cart-1a2b3c4d.shop.svc:80");
  });

  it("are hosts under the preview domain", () => {
    const address = { endpoint: "web", routingKey: "k3v9q2m7x1c4d", domain };

    assert.equal(previewHost(address), "web--k3v9q2m7x1c4d.preview.example.com");
    assert.equal(shareHost(address, "a1b2c3"), "web--k3v9q2m7x1c4d--a1b2c3.preview.example.com");
    assert.equal(tunnelHost(domain), "tunnel.preview.example.com");
  });

  it("have labels of at most 63 characters, and differ for different keys", () => {
    const hosts = ["a", "b"].map((end) =>
      previewHost({ endpoint: "e".repeat(30), routingKey: `${"k".repeat(62)}${end}`, domain }),
    );

    assert.equal(new Set(hosts).size, 2);
    for (const host of hosts) assert.equal(host.indexOf("."), 63);
  });
});
