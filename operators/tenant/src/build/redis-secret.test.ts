import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type Credentials, newPassword, passwordProblem } from "./credentials.ts";
import {
  aclChecksum,
  credentialsChecksum,
  readCredentials,
  redisUrl,
  replicaConf,
  secretTexts,
  usersAcl,
} from "./redis-secret.ts";

const first = "first-password-0123456789";
const second = "second+password/0123456789";
const standalone = { mode: "standalone", host: "acme-redis" } as const;
const replication = { mode: "replication", host: "acme-redis-0.acme-redis" } as const;
const settled: Credentials = { step: "done", password: first, token: undefined, stepAtMs: 0, rotatedAtMs: 0 };
const overlap: Credentials = { ...settled, step: "overlap", password: second, previous: first };
const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

const printable = fc.string({
  unit: fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code)),
  minLength: 16,
  maxLength: 128,
});

describe("a password", () => {
  it("is 32 bytes of the source as base64url without padding", () => {
    const requestedCounts: number[] = [];
    const bytes = Uint8Array.from({ length: 32 }, (_, index) => 255 - index);

    const password = newPassword((count) => {
      requestedCounts.push(count);
      return bytes;
    });

    assert.deepEqual(requestedCounts, [32]);
    assert.match(password, /^[\w-]{43}$/);
    assert.deepEqual(new Uint8Array(Buffer.from(password, "base64url")), bytes);
    assert.equal(passwordProblem(password), undefined);
  });

  for (const [what, text] of [
    ["too short", "a".repeat(15)],
    ["too long", "a".repeat(129)],
    ["with a space", "a b".repeat(8)],
    ["with a line break at its end", `${"a".repeat(20)}\n`],
    ["with a control character", `${"a".repeat(20)}\u0000`],
    ["with a letter that is not ASCII", `${"a".repeat(20)}ü`],
  ] as const) {
    it(`is rejected when it is ${what}, without repeating it`, () => {
      const problem = passwordProblem(text) ?? "";

      assert.notEqual(problem, "");
      assert.ok(!problem.includes(text.trim()));
    });
  }

  it("may have any 16 to 128 printable characters", () => {
    fc.assert(fc.property(printable, (text) => passwordProblem(text) === undefined));
  });
});

describe("the Redis Secret", () => {
  it("has one password without a rotation", () => {
    assert.deepEqual(secretTexts(settled, standalone), {
      password: first,
      "client-password": first,
      "users.acl": `user default on #${hash(first)} ~* &* +@all\n`,
      "replica.conf": "#\n",
      "redis-url": `redis://:${first}@acme-redis:6379/0`,
    });
  });

  it("has both hashes in overlap, while clients use the previous password", () => {
    assert.deepEqual(secretTexts(overlap, replication), {
      password: second,
      "client-password": first,
      "previous-password": first,
      "users.acl": `user default on #${hash(second)} #${hash(first)} ~* &* +@all\n`,
      "replica.conf": `masterauth ${first}\n`,
      "redis-url": `redis://:${first}@acme-redis-0.acme-redis:6379/0`,
    });
  });

  it("gives clients the new password in step clients, and drops the previous one in cleanup", () => {
    const clients = secretTexts({ ...overlap, step: "clients" }, standalone);
    const cleanup = secretTexts({ ...settled, step: "cleanup", password: second }, standalone);

    assert.equal(clients["client-password"], second);
    assert.equal(clients["previous-password"], first);
    assert.equal(clients["users.acl"], usersAcl(overlap));
    assert.equal(cleanup["client-password"], second);
    assert.equal("previous-password" in cleanup, false);
    assert.equal(cleanup["users.acl"], `user default on #${hash(second)} ~* &* +@all\n`);
  });

  it("is read back as it was written, with any password", () => {
    fc.assert(
      fc.property(printable, printable, fc.constantFrom("done", "overlap", "clients", "cleanup"), (a, b, step) => {
        const common = { password: a, token: "t", stepAtMs: 1_700_000_000_000, rotatedAtMs: 1_600_000_000_000 };
        const credentials: Credentials =
          step === "overlap" || step === "clients" ? { ...common, step, previous: b } : { ...common, step };

        assert.deepEqual(readCredentials(secretOf(credentials), 5), credentials);
      }),
    );
  });

  it("has no plain password in the ACL, and an encoded one in the URL", () => {
    fc.assert(
      fc.property(printable, (password) => {
        const credentials = { ...settled, password };
        const url = new URL(redisUrl("acme-redis", password));

        assert.ok(!usersAcl(credentials).includes(password));
        assert.equal(decodeURIComponent(url.password), password);
        assert.equal(url.host, "acme-redis:6379");
      }),
    );
  });

  it("quotes special characters in replica.conf", () => {
    const conf = replicaConf({ ...settled, password: String.raw`#a"b'c\d0123456789` }, replication);

    assert.equal(conf, String.raw`masterauth "#a\"b'c\\d0123456789"` + "\n");
  });

  it("has no credentials when the password was removed or broken", () => {
    const { data = {}, ...rest } = secretOf(settled);

    assert.equal(readCredentials({ ...rest, data: {} }, 0), undefined);
    assert.equal(readCredentials({ ...rest, data: { ...data, password: "IA==" } }, 0), undefined);
  });

  it("counts a rotation as done when the previous password was removed", () => {
    const { data = {}, ...rest } = secretOf(overlap);
    const { "previous-password": _, ...others } = data;

    assert.deepEqual(readCredentials({ ...rest, data: others }, 0), { ...settled, password: second });
  });

  it("ignores invalid annotations", () => {
    const secret = secretOf(settled, {
      "neurallog.io/rotation-step": "toString",
      "neurallog.io/rotated-at": "yesterday",
    });

    assert.deepEqual(readCredentials(secret, 7), { ...settled, stepAtMs: 7, rotatedAtMs: 7 });
  });
});

describe("the checksums", () => {
  it("roll Redis when the ACL changes, and not when only clients change", () => {
    const clients: Credentials = { ...overlap, step: "clients" };

    assert.notEqual(aclChecksum(settled, standalone), aclChecksum(overlap, standalone));
    assert.equal(aclChecksum(clients, standalone), aclChecksum(overlap, standalone));
  });

  it("roll replicas when their password for the master changes", () => {
    assert.notEqual(aclChecksum({ ...overlap, step: "clients" }, replication), aclChecksum(overlap, replication));
  });

  it("roll the server when its password or URL changes, and not in overlap", () => {
    assert.equal(credentialsChecksum(overlap, standalone), credentialsChecksum(settled, standalone));
    assert.notEqual(
      credentialsChecksum({ ...overlap, step: "clients" }, standalone),
      credentialsChecksum(settled, standalone),
    );
    assert.notEqual(credentialsChecksum(settled, replication), credentialsChecksum(settled, standalone));
    assert.notEqual(credentialsChecksum(undefined, standalone), credentialsChecksum(settled, standalone));
  });
});

function secretOf(credentials: Credentials, notes?: Record<string, string>): Parameters<typeof readCredentials>[0] {
  const { token, step, stepAtMs, rotatedAtMs } = credentials;
  const time = (ms: number): string => new Date(ms).toISOString();
  const texts = Object.entries(secretTexts(credentials, standalone));
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      annotations: notes ?? {
        "neurallog.io/rotation-step": step,
        "neurallog.io/rotation-step-at": time(stepAtMs),
        "neurallog.io/rotated-at": time(rotatedAtMs),
        ...(token !== undefined && { "neurallog.io/rotation-token": token }),
      },
    },
    data: Object.fromEntries(texts.map(([key, text]) => [key, Buffer.from(text).toString("base64")])),
  };
}
