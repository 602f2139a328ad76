// What a receiver verifies: the messages of ckpt, and nothing that somebody changed or sends again much later.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import test from "node:test";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";

const CKPT = path.resolve(process.env.CKPT ?? "target/debug/ckpt");
const NEW = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OLD = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const PATIENCE = 30_000;

const run = promisify(execFile);

/** A receiver that keeps the raw body and the headers of each message. */
async function receiver(t) {
  const heard = [];
  const server = http.createServer((request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      heard.push({ body: Buffer.concat(parts).toString("utf8"), headers: request.headers });
      response.writeHead(200).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return { heard, url: `http://127.0.0.1:${server.address().port}/hook` };
}

/** A repository that tells a receiver everything. */
async function repository(t, url) {
  const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "ckpt-webhooks-")));
  t.after(() => fs.rmSync(base, { recursive: true, force: true }));
  const root = path.join(base, "shop");
  fs.mkdirSync(path.join(root, ".claude/config"), { recursive: true });
  const webhook = { name: "ops", url, secret: "env:NEW", previous_secret: "env:OLD", events: [] };
  fs.writeFileSync(path.join(root, ".claude/config/integrations.json"), JSON.stringify({ webhooks: [webhook] }));
  const env = { PATH: process.env.PATH, HOME: base, GIT_CONFIG_GLOBAL: "/dev/null", NEW, OLD };
  const ckpt = (...words) => run(CKPT, words, { cwd: root, env });
  await run("git", ["init", "--quiet"], { cwd: root, env });
  await ckpt("notify", "allow", "ops", "--private", "--yes");
  return ckpt;
}

async function until(what, isSo) {
  const end = Date.now() + PATIENCE;
  while (!isSo()) {
    assert.ok(Date.now() < end, what);
    await new Promise((done) => setTimeout(done, 20));
  }
}

test("A receiver verifies each message with either key while one replaces the other", async (t) => {
  const { heard, url } = await receiver(t);
  const ckpt = await repository(t, url);
  await ckpt("start", "implement", "auth", "--phases", "a,b");
  await ckpt("phase", "implement/auth", "a", "complete", "--summary", "Ümläute, 漢字 and \u{1f680}.");
  await ckpt("gate", "set", "implement/auth", "--block", 'a "quoted" reason — with a dash');
  await ckpt("notify", "test", "ops");
  await until("all arrive", () => heard.length === 4);
  const types = heard.map(({ body, headers }) => {
    for (const secret of [NEW, OLD]) {
      assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body));
    }
    return JSON.parse(body).type;
  });
  assert.deepEqual(types.sort(), ["checkpoint_started", "ckpt.test", "gate_set", "phase_updated"]);
  assert.equal(new Set(heard.map(({ headers }) => headers["webhook-id"])).size, 4);
});

test("A receiver refuses a message that was changed, signed with another key, or kept for long", async (t) => {
  const { heard, url } = await receiver(t);
  const ckpt = await repository(t, url);
  await ckpt("notify", "test", "ops");
  const [{ body, headers }] = heard;
  const verifier = new Webhook(NEW);
  verifier.verify(body, headers);
  assert.throws(() => verifier.verify(body.replace("ckpt.test", "ckpt.tested"), headers));
  assert.throws(() => verifier.verify(body, { ...headers, "webhook-id": "msg_another" }));
  const later = String(Number(headers["webhook-timestamp"]) - 3600);
  assert.throws(() => verifier.verify(body, { ...headers, "webhook-timestamp": later }));
  assert.throws(() => new Webhook("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").verify(body, headers));
});
