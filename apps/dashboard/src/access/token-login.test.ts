import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import { failuresMax, failuresPerAddressMax, LoginLimiter, windowMs } from "./login-limiter.ts";
import { isLoopbackHost } from "./loopback-names.ts";
import { openSession, sealSession } from "./sealed-session.ts";
import { isSameSecret } from "./secrets.ts";

const session = { token: "a.token.of-jane", user: "jane", expiresAt: 1_800_000_000_000 };
const secret = Buffer.from("a secret of 32 bytes, more or less");
const seal = (key = secret): string => sealSession(session, { secret: key, randomBytes });

describe("a sealed session", () => {
  it("is read with the key it was sealed with, and never looks the same", () => {
    assert.deepEqual(openSession(seal(), secret), session);
    assert.notEqual(seal(), seal());
    assert.match(seal(), /^[\w-]+$/);
    assert.ok(!Buffer.from(seal(), "base64url").includes("jane"));
  });

  it("is not read with another key", () => {
    assert.equal(openSession(seal(Buffer.from("another secret, of the same kind")), secret), undefined);
  });

  it("is not read if any of its bytes was changed, or bytes are missing", () => {
    const bytes = Buffer.from(seal(), "base64url");
    for (const index of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      assert.equal(openSession(changed.toString("base64url"), secret), undefined, `byte ${index}`);
      assert.equal(openSession(bytes.subarray(0, index).toString("base64url"), secret), undefined, `${index} bytes`);
    }
  });

  it("is not read if it is longer than any cookie", () => {
    assert.equal(openSession("A".repeat(1_000_000), secret), undefined);
    assert.equal(openSession("", secret), undefined);
  });

  it("is hardly longer than its token, which is base64", () => {
    const token = randomBytes(2_600).toString("base64url");

    const sealed = sealSession({ ...session, token }, { secret, randomBytes });

    assert.ok(token.length > 3_400);
    assert.ok(sealed.length < 3_900, `${sealed.length} characters`);
  });
});

describe("LoginLimiter", () => {
  const begin = (limiter: LoginLimiter, address: string, times: number): boolean[] =>
    Array.from({ length: times }, () => limiter.begin(address));

  it("refuses an address above its limit, until the failures are forgotten", async () => {
    const clock = new FakeClock();
    const limiter = new LoginLimiter(clock);

    assert.deepEqual(begin(limiter, "a", failuresPerAddressMax + 1).indexOf(false), failuresPerAddressMax);
    assert.equal(limiter.begin("b"), true);
    await clock.advance(windowMs - 1);
    assert.equal(limiter.begin("a"), false);
    await clock.advance(1);
    assert.equal(limiter.begin("a"), true);
  });

  it("does not count logins that succeed", () => {
    const limiter = new LoginLimiter(new FakeClock());

    for (let login = 0; login <= 2 * failuresPerAddressMax; login += 1) {
      assert.equal(limiter.begin("a"), true);
      limiter.forgive("a");
    }
  });

  it("refuses all addresses above the limit for all", () => {
    const limiter = new LoginLimiter(new FakeClock());

    const accepted = Array.from({ length: failuresMax + 1 }, (_, index) => limiter.begin(`address-${index}`));

    assert.deepEqual(accepted.indexOf(false), failuresMax);
  });
});

describe("secrets and hosts", () => {
  it("compares secrets of any length", () => {
    assert.ok(isSameSecret("a", "a"));
    assert.ok(!isSameSecret("a", "ab") && !isSameSecret("", "a"));
  });

  it("knows the names of the machine of the browser", () => {
    for (const host of ["localhost", "localhost:8000", "127.0.0.1:1", "[::1]:8000", "LOCALHOST:8000"])
      assert.ok(isLoopbackHost(host), host);
    for (const host of ["", "dashboard.example.com", "localhost.example.com", "127.0.0.1.example.com:80", "127.0.0.2"])
      assert.ok(!isLoopbackHost(host), host);
  });
});
