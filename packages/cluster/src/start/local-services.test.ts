import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LocalServices } from "./local-services.ts";

const service = { namespace: "shop", name: "webhooks" };
const at = (port: number): { host: string; port: number } => ({ host: "127.0.0.1", port });

describe("local services", () => {
  it("resolve added Services before those of the cluster's options", async () => {
    const services = new LocalServices(() => at(1));
    assert.deepEqual(await services.resolve({ ...service, port: 443 }), at(1));

    using _ = services.add(service, at(2));

    assert.deepEqual(await services.resolve({ ...service, port: 443 }), at(2));
    assert.equal(await new LocalServices(undefined).resolve({ ...service, port: 443 }), 'service "webhooks" not found');
  });

  it("are removed when they are disposed of, unless they were replaced", async () => {
    const services = new LocalServices(undefined);
    const first = services.add(service, at(1));
    const second = services.add(service, at(2));

    first[Symbol.dispose]();
    assert.deepEqual(await services.resolve({ ...service, port: 443 }), at(2));
    second[Symbol.dispose]();

    assert.equal(await services.resolve({ ...service, port: 443 }), 'service "webhooks" not found');
  });
});
