// Commands of sandboxes and route groups on an embedded API server with the installed operator, its webhooks and exactly its permissions.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { RouteGroup, Sandbox } from "@homeostat/sandbox-operator";
import { type Finished, runLine, type RunLineOptions } from "../testing/run-line.ts";
import { TestShop } from "../testing/shop.ts";

const manifest = `
apiVersion: sandbox.example.com/v1alpha1
kind: Sandbox
metadata: {name: "@{name}"}
spec:
  routingKey: key-of-@{name}
  labels: {feature: checkout}
  services:
  - name: cart
    targetRef: {name: cart}
    replicas: @{replicas}
    containers:
    - name: app
      image: @{image}
      env: [{name: NOTE, value: "@{embed: note.txt}"}, {name: ONE, value: "@{replicas}"}]
`;

describe("sandboxctl sandbox", () => {
  let shop: TestShop;
  let folder: string;
  let file: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "sandboxctl-"));
    file = join(folder, "sandbox.yaml");
    await writeFile(file, manifest);
    await writeFile(join(folder, "note.txt"), "first: line\nsecond");
    shop = await TestShop.open();
  });
  after(async () => {
    await shop[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const jane = async (line: string | readonly string[], options: RunLineOptions = {}): Promise<Finished> =>
    runLine(line, { client: shop.jane, ...options });
  const done = async (line: string | readonly string[], options: RunLineOptions = {}): Promise<string> => {
    const { code, out, err } = await jane(line, options);
    assert.equal(code, 0, `${out}\n${err}`);
    return out;
  };
  const read = async (name: string): Promise<Sandbox> => {
    const found = await shop.admin.get(Sandbox, { namespace: "shop", name });
    assert.ok(found !== undefined, name);
    return found;
  };
  const applied = (name: string): string =>
    `sandbox apply -f ${file} --set name=${name} --set replicas=1 --set image=cart:2`;

  it("apply creates a sandbox with variables and files, and says what it waits for", async () => {
    const { code, out, err } = await jane(applied("pr-1"));

    assert.equal(code, 0, err);
    assert.equal(out, "sandbox/pr-1 created\nsandbox/pr-1 ready");
    assert.match(err, /^waiting for Sandbox shop\/pr-1 to be ready: /);
    const [entry] = (await read("pr-1")).spec.services;
    assert.equal(entry?.replicas, 1);
    assert.deepEqual(
      entry.containers?.[0]?.env?.map(({ name, value }) => [name, value]),
      [
        ["NOTE", "first: line\nsecond"],
        ["ONE", "1"],
      ],
    );
    assert.equal(await done(applied("pr-1")), "sandbox/pr-1 unchanged\nsandbox/pr-1 ready");
  });

  it("apply shows differences and dry runs without storing anything", async () => {
    await done(applied("pr-2"));
    const changed = applied("pr-2").replace("cart:2", "cart:3");

    const diff = await done(`${changed} --diff`);
    assert.match(diff, /services\[cart\]\.containers\[app\]\.image\n  - cart:2\n  \+ cart:3/);
    assert.equal(await done(`${changed} --dry-run=server`), "sandbox/pr-2 would be changed");
    assert.match(await done(`${changed} --dry-run -o yaml`), /image: cart:3/);
    assert.equal((await read("pr-2")).spec.services[0]?.containers?.[0]?.image, "cart:2");
  });

  it("apply fails with exit code 4 and what is missing when a fork does not start", async () => {
    shop.pauseForks(true);
    await done(`${applied("pr-3")} --wait=false`);
    await shop.until(async () => (await read("pr-3")).status.services?.[0]?.status === "Progressing");
    const { code, err } = await jane(`${applied("pr-3")} --wait-timeout 1s`);
    shop.pauseForks(false);

    assert.equal(code, 4);
    assert.match(
      err,
      /Timed out after 1s waiting for Sandbox shop\/pr-3 to be ready: Ready is False \(ForksNotReady\)/,
    );
    assert.match(err, /See sandboxctl sandbox get pr-3 -n shop, or set a longer --wait-timeout$/);
  });

  it("apply reports refusals of the API server with exit code 3, and invalid files with 2", async () => {
    const refused = await jane(applied("pr-4").replace("replicas=1", "replicas=77"));
    assert.equal(refused.code, 3, refused.err);
    assert.match(refused.err, /replicas/);

    const missing = await jane(`sandbox apply -f ${file}`);
    assert.equal(missing.code, 2);
    assert.match(missing.err, /uses the variables name, replicas, image, which have no value; add --set NAME=VALUE/);

    const unused = await jane(`${applied("pr-4")} --set other=1`);
    assert.equal(unused.code, 2);
    assert.match(unused.err, /does not use the variables other/);

    const other = await jane("sandbox apply -f -", { input: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}" });
    assert.equal(other.code, 2);
    assert.match(other.err, /contains ConfigMap x; sandboxctl sandbox apply accepts objects of the kind Sandbox only/);
  });

  it("create finds the container, and refuses what does not exist", async () => {
    const out = await done("sandbox create pr-5 --service cart=cart:5 --ttl 2d --label team=web --key key-five");
    assert.equal(out, "sandbox/pr-5 ready\nrouting key key-five");
    const { spec } = await read("pr-5");
    assert.deepEqual([spec.ttl, spec.labels], ["2d", { team: "web" }]);
    assert.deepEqual(spec.services[0]?.containers, [{ name: "app", image: "cart:5" }]);

    const again = await jane("sandbox create pr-5 --service cart=cart:5");
    assert.equal(again.code, 1);
    assert.match(again.err, /already exists\. Change it with sandboxctl sandbox update pr-5/);
    assert.equal((await jane("sandbox create pr-6 --service nothing=x:1")).code, 5);
    assert.equal((await jane("sandbox create pr-6 --service cart/other=x:1")).code, 2);
    assert.equal((await jane("sandbox create pr-6 --service cart")).code, 2);
    assert.equal((await jane("sandbox create pr-6 --label x")).code, 2);
  });

  it("list prints the columns of the format, and selects by owner, labels and expiry", async () => {
    await done("sandbox create pr-7 --service cart=cart:7");

    const lines = (await done("sandbox list")).split("\n");
    assert.match(lines[0] ?? "", /^NAME +KEY +STATUS +SERVICES +ENDPOINT +EXPIRES +OWNER +AGE$/);
    const row = lines.find((line) => line.startsWith("pr-7 "));
    assert.match(row ?? "", /Running +1\/1 +http:\/\/pr-7-cart-\w+\.shop\.svc:80 +in 23h59m +jane/);
    assert.match(await done("sb ls -A -o wide"), /^NAMESPACE .*DRIFT +GROUPS\n/);
    assert.ok((await done("sandbox list -o name")).split("\n").includes("sandbox/pr-7"));
    const list: unknown = JSON.parse(await done("sandbox list -o json"));
    assert.ok(typeof list === "object" && list !== null && "kind" in list && list.kind === "List");
    assert.match(await done("sandbox list --mine"), /pr-7/);
    assert.equal((await jane("sandbox list --expiring 1h")).err, "No sandboxes found in namespace shop");
    assert.equal((await jane("sandbox list -l !!")).code, 2);
  });

  it("get shows conditions, entries and a request, and exits with 5 for an unknown sandbox", async () => {
    await done("sandbox create pr-8 --service cart=cart:8 --key key-eight");

    const out = await done("sandbox get pr-8");
    assert.match(out, /^Name: +pr-8\n/);
    assert.match(out, /cart: Ready, Fork, 1\/1 pods, drift InSync/);
    assert.match(out, /  Ready +True +SandboxReady/);
    assert.match(out, /curl -H "x-routing-key: key-eight" http:\/\/cart\.shop\.svc:80\//);

    const missing = await jane("sandbox get nothing");
    assert.equal(missing.code, 5);
    assert.match(missing.err, /Sandbox shop\/nothing does not exist\. See sandboxctl sandbox list -n shop/);
  });

  it("update changes images and variables of entries only", async () => {
    await done("sandbox create pr-9 --service cart=cart:9");

    await done("sandbox update pr-9 --image cart=cart:10 --env cart/LEVEL=debug --env cart/HOST-");

    const [container] = (await read("pr-9")).spec.services[0]?.containers ?? [];
    assert.equal(container?.image, "cart:10");
    assert.deepEqual(
      container.env?.map(({ name, value, operation }) => [name, value, operation]),
      [
        ["LEVEL", "debug", "Upsert"],
        ["HOST", undefined, "Delete"],
      ],
    );
    assert.equal((await jane("sandbox update pr-9")).code, 2);
    assert.equal((await jane("sandbox update pr-9 --image other=x")).code, 2);
    assert.equal((await jane("sandbox update pr-9 --env LEVEL=debug")).code, 2);
    assert.equal((await jane("sandbox update nothing --image a=b")).code, 5);
  });

  it("extend, suspend, resume and clone change one thing each", async () => {
    await done("sandbox create pr-10 --service cart=cart:10 --ttl 1d --key key-ten");

    assert.equal(await done("sandbox extend pr-10 4h"), "sandbox/pr-10 extended by 4h to 1d4h from CreatedAt");
    assert.equal((await read("pr-10")).spec.ttl, 100_800);
    assert.equal((await jane("sandbox extend pr-10 soon")).code, 2);

    assert.equal(await done("sandbox suspend pr-10"), "sandbox/pr-10 suspended");
    assert.equal(await done("sandbox suspend pr-10"), "sandbox/pr-10 is already suspended");
    assert.equal(await done("sandbox resume pr-10"), "sandbox/pr-10 resumed");

    await done("sandbox clone pr-10 pr-10-copy");
    const copy = await read("pr-10-copy");
    assert.equal(copy.spec.routingKey, undefined);
    assert.equal(copy.spec.services[0]?.containers?.[0]?.image, "cart:10");
    assert.equal((await jane("sandbox clone pr-10 pr-10-copy")).code, 1);
  });

  it("env and files give what the user may read, and name the rest", async () => {
    await done("sandbox create pr-11 --service cart=cart:11");

    const { code, out, err } = await jane("sandbox env pr-11 cart");
    assert.equal(code, 0);
    assert.deepEqual(
      out.split("\n").toSorted(),
      [
        'app.conf="a=1\\n"',
        "HOST=cart",
        "LEVEL=info",
        "NAMESPACE=shop",
        "URL=http://cart:8080/$(HOST)/$(NONE)",
      ].toSorted(),
    );
    assert.match(err, /left out: PASSWORD: Secret cart is not readable with your permissions/);
    assert.match(err, /left out: POD_IP: status\.podIP exists only in a pod/);
    assert.match(
      await done("sandbox env pr-11 cart --export"),
      /export URL='http:\/\/cart:8080\/\$\(HOST\)\/\$\(NONE\)'/,
    );
    const admin = await runLine("sandbox env pr-11 cart", { client: shop.admin });
    assert.match(admin.out, /^PASSWORD=hidden$/m);

    const target = join(folder, "files");
    const files = await runLine(["sandbox", "files", "pr-11", "cart", "-d", target], { client: shop.admin });
    assert.equal(files.code, 0, files.err);
    assert.match(files.err, /\/tmp: volume scratch is not a ConfigMap or Secret/);
    assert.equal(await readFile(join(target, "etc/cart/app.conf"), "utf8"), "a=1\n");
    assert.equal(await readFile(join(target, "run/secret/password"), "utf8"), "hidden");
    assert.equal((await stat(join(target, "run/secret/password"))).mode & 0o777, 0o600);
    assert.equal((await jane("sandbox env pr-11 nothing")).code, 5);
    assert.equal((await jane("sandbox env pr-11 cart --container x")).code, 2);
    assert.equal((await jane("sandbox files pr-11 cart")).code, 2);
  });

  it("diff compares a fork with its baseline, and rebase requests the present generation", async () => {
    const pinned = { name: "cart", targetRef: { name: "cart" }, driftPolicy: "Notify" as const };
    await shop.admin.create(
      Sandbox,
      Sandbox.make({ metadata: { name: "pr-12", namespace: "shop" }, spec: { services: [pinned] } }),
    );
    await shop.until(async () => (await read("pr-12")).status.phase === "Running");
    assert.equal(await done("sandbox rebase pr-12"), "sandbox/pr-12 has no fork that is behind its baseline");

    await shop.admin.patch(
      Deployment,
      { namespace: "shop", name: "cart" },
      { merge: { spec: { template: { metadata: { annotations: { changed: "1" } } } } } },
    );
    await shop.until(async () => (await read("pr-12")).status.services?.[0]?.drift === "Behind");

    assert.match(await done("sandbox diff pr-12 cart"), /metadata\.annotations/);
    assert.equal(await done("sandbox rebase pr-12"), "sandbox/pr-12 rebase requested for cart");
    await shop.until(async () => (await read("pr-12")).status.services?.[0]?.drift === "InSync");
    assert.equal((await jane("sandbox diff pr-12 nothing")).code, 5);
    assert.equal((await jane("sandbox rebase pr-12 nothing")).code, 5);
  });

  it("events prints what happened to the sandbox", async () => {
    await done("sandbox create pr-13 --service cart=cart:13");

    await shop.until(async () => (await done("sandbox events pr-13")) !== "");
    assert.match(await done("sandbox events pr-13"), /Sandbox\/pr-13: /);
  });

  it("delete waits until the sandbox is gone, by name or by file", async () => {
    await done("sandbox create pr-14 --service cart=cart:14");
    await done("sandbox create pr-15 --service cart=cart:15");

    assert.equal(await done("sandbox delete pr-14"), "sandbox/pr-14 deleted");
    assert.equal(await shop.admin.get(Sandbox, { namespace: "shop", name: "pr-14" }), undefined);
    const input = "apiVersion: sandbox.example.com/v1alpha1\nkind: Sandbox\nmetadata: {name: pr-15}";
    assert.equal(await done("sandbox delete -f - --force", { input }), "sandbox/pr-15 deleted");
    assert.equal((await jane("sandbox delete pr-14")).code, 5);
    assert.equal((await jane("sandbox delete")).code, 2);
    assert.equal((await jane("sandbox delete a -f b")).code, 2);
  });

  it("exits with 3 if the user may not do it", async () => {
    const eve = shop.installed.clientOf("eve");

    for (const line of [
      "sandbox list",
      "sandbox get pr-1",
      "sandbox delete pr-1",
      "rg list",
      "sandbox env pr-1 cart",
    ]) {
      const { code, err } = await runLine(line, { client: eve });
      assert.equal(code, 3, line);
      assert.match(err, /^sandboxctl: .*(?:forbidden|cannot)/, line);
    }
  });

  it("routegroup applies, lists, shows and deletes groups under all of its names", async () => {
    await done("sandbox create pr-16 --service cart=cart:16 --label feature=search");
    const group = (key: string): string =>
      `apiVersion: sandbox.example.com/v1alpha1\nkind: RouteGroup\nmetadata: {name: ${key}}\nspec: {match: {label: {key: feature, value: ${key}}}}`;

    const first = await jane("routegroup apply -f -", { input: group("search") });
    assert.equal(first.code, 0, first.err);
    assert.match(first.out, /^routegroup\/search created\nroutegroup\/search ready$/);
    const none = await jane("route apply -f -", { input: group("nothing") });
    assert.match(none.err, /note: RouteGroup shop\/nothing includes no sandbox yet/);
    const lines = (await done("rg list")).split("\n");
    assert.match(lines[0] ?? "", /^NAME +KEY +SANDBOXES +READY +URL +AGE$/);
    assert.match(lines.find((line) => line.startsWith("search")) ?? "", / 1\/1 +True /);
    assert.match(await done("route get search"), /Sandboxes: +pr-16/);
    assert.equal(await done("rg delete search"), "routegroup/search deleted");
    assert.equal(await shop.admin.get(RouteGroup, { namespace: "shop", name: "search" }), undefined);
    assert.equal((await jane("rg get search")).code, 5);
  });

  it("diagnostics contains no secrets, and version names the server", async () => {
    await done("sandbox create pr-17 --service cart=cart:17 --key key-seventeen");
    await done("sandbox update pr-17 --env cart/TOKEN=topsecret --wait=false");

    const report = await done("diagnostics");
    assert.match(report, /key-seventeen/);
    assert.doesNotMatch(report, /topsecret|hidden/);
    const { out } = await jane("version");
    assert.match(out, /^client: +\d+\.\d+\.\d+\n/);
    assert.match(out, /kubernetes: +v1\./);
  });
});
