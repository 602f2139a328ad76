// The command-line form of the Inspector, in both eras.
import assert from "node:assert/strict";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { ckpt, CKPT, makePlan, planState, repository, run } from "./setup.mjs";

const INSPECTOR = fileURLToPath(new URL("node_modules/.bin/mcp-inspector", import.meta.url));

for (const era of ["legacy", "modern"]) {
  const inspect = (repo, method, ...words) =>
    run(repo, INSPECTOR, ["--cli", CKPT, "mcp", "--protocol-era", era, "--format", "json", "--method", method, ...words]);
  const result = ({ code, stdout, stderr }) => {
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout).result;
  };

  test(`The Inspector (${era}) lists the tools, and finds their schemas portable`, async (t) => {
    const { tools } = result(await inspect(repository(t), "tools/list", "--strict"));
    assert.equal(tools.length, 10);
  });

  test(`The Inspector (${era}) ticks a task`, async (t) => {
    const repo = repository(t);
    const plan = makePlan(repo, ["One", "Two"]);
    const input = JSON.stringify({ action: "done", tasks: ["one"] });
    const told = result(await inspect(repo, "tools/call", "--tool-name", "plan", "--tool-args-json", input));
    assert.equal(told.structuredContent.done, 1);
    assert.equal(planState(repo, plan).phases.build.tasks.one.done, true);
  });

  test(`The Inspector (${era}) shows a mistake as a tool error`, async (t) => {
    const words = ["--tool-name", "log", "--tool-arg", "key=nope"];
    const { code, stdout } = await inspect(repository(t), "tools/call", ...words);
    assert.notEqual(code, 0);
    const told = JSON.parse(stdout).result;
    assert.equal(told.isError, true);
    assert.match(told.content[0].text, /nope/);
  });

  test(`The Inspector (${era}) lists and reads resources, and is told of one that does not exist`, async (t) => {
    const repo = repository(t);
    ckpt(repo, "start", "implement", "auth");
    const { resources } = result(await inspect(repo, "resources/list"));
    assert.ok(resources.some((resource) => resource.uri === "ckpt://command/implement/auth"));
    const read = result(await inspect(repo, "resources/read", "--uri", "ckpt://implement/auth"));
    assert.equal(JSON.parse(read.contents[0].text).document.feature, "auth");
    const { code, stderr } = await inspect(repo, "resources/read", "--uri", "ckpt://nope");
    assert.notEqual(code, 0);
    assert.match(stderr, /nope/);
  });

  test(`The Inspector (${era}) lists and gets prompts`, async (t) => {
    const repo = repository(t);
    assert.equal(result(await inspect(repo, "prompts/list")).prompts.length, 8);
    const words = ["--prompt-name", "implement", "--prompt-args", "arguments=auth"];
    assert.match(result(await inspect(repo, "prompts/get", ...words)).messages[0].content.text, /auth/);
  });

  test(`The Inspector (${era}) makes a thousand calls, ten at a time, without an error`, async (t) => {
    const repo = repository(t);
    ckpt(repo, "start", "ship");
    const words = ["--tool-name", "status", "--load", "--load-requests", "1000"];
    const { code, stdout, stderr } = await inspect(repo, "tools/call", ...words);
    assert.equal(code, 0, stdout + stderr);
  });
}
