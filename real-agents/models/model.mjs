// A scripted model on loopback. It answers in one wire protocol and keeps every request that the client sent.

import http from 'node:http';

import { Script, conversationOf, say } from './script.mjs';

/** What a scripted model says when a client asks it to sum up a conversation. */
export const SUMMARY = 'The animals were being fed, one task at a time.';

/** How many tokens a crowded context window holds; every client is told that fewer fit. */
export const CROWD = 190_000;

export class Model {
  /** What the client sent, in order: `{ conversation, items, tools, body }`. */
  requests = [];
  /** Paths that are not part of the protocol. */
  strays = [];
  #protocol;
  #script;
  #client;
  #server;
  #gates = new Map();

  /**
   * The client's module tells its protocol, and with which words it asks for a summary.
   * @returns {Promise<Model>}
   */
  static async start({ client, turns }) {
    const model = new Model();
    model.#client = client;
    model.#protocol = client.protocol;
    model.#script = new Script(turns);
    model.#server = http.createServer((request, response) => model.#serve(request, response));
    // Codex tries a WebSocket first and falls back to HTTP when it is refused.
    model.#server.on('upgrade', (_, socket) => socket.end('HTTP/1.1 404 Not Found\r\n\r\n'));
    await new Promise((resolve, reject) => {
      model.#server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    return model;
  }

  get url() {
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  stop() {
    for (const gate of this.#gates.values()) gate.open();
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Resolves when the client waits for the held turn of this name. */
  reached(name) {
    return this.#gate(name).reached;
  }

  /** Gives the held turn of this name. */
  release(name) {
    this.#gate(name).open();
  }

  #gate(name) {
    if (!this.#gates.has(name)) {
      const gate = {};
      gate.reached = new Promise((resolve) => (gate.arrive = resolve));
      gate.opened = new Promise((resolve) => (gate.open = resolve));
      this.#gates.set(name, gate);
    }
    return this.#gates.get(name);
  }

  async #serve(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = parsed(Buffer.concat(chunks));
    const question = body && this.#protocol.read(request, body);
    if (!question) {
      this.strays.push(`${request.method} ${request.url}`);
      return this.#protocol.stray(request, response);
    }
    const conversation = this.#conversation(question);
    this.requests.push({ conversation, ...question, body });
    const turn = this.#turn(conversation);
    if (turn.held) {
      const gate = this.#gate(turn.held);
      gate.arrive();
      await gate.opened;
    }
    // A client that was killed meanwhile has hung up.
    if (!response.destroyed) this.#protocol.write(response, body, turn, request);
  }

  #conversation(question) {
    if (this.#client.isCompaction(question)) return 'compaction';
    return this.#client.isAside?.(question) ? 'aside' : conversationOf(question);
  }

  #turn(conversation) {
    if (conversation === 'compaction') return { steps: [say(`<summary>${SUMMARY}</summary>`)] };
    if (conversation === 'aside') return { steps: [say('{}')] };
    return this.#script.next(conversation);
  }
}

function parsed(bytes) {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return null;
  }
}

/** Answers with JSON. */
export function json(response, value, status = 200) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

let serial = 0;

/** An id that no other answer of this process has. */
export const freshId = (prefix) => `${prefix}_${process.pid}_${serial++}`;
