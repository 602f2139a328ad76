// A proxy on loopback that lets clients reach nothing but loopback, and keeps what else they tried to reach.

import http from 'node:http';
import net from 'node:net';

const isLoopback = (host) => ['127.0.0.1', 'localhost', '[::1]', '::1'].includes(host);

export class Fence {
  /** The hosts that clients tried to reach and did not. */
  refused = new Set();
  #server;

  static async start() {
    const fence = new Fence();
    fence.#server = http.createServer((request, response) => fence.#forward(request, response));
    fence.#server.on('connect', (request, socket) => fence.#tunnel(request, socket));
    await new Promise((resolve) => fence.#server.listen(0, '127.0.0.1', resolve));
    return fence;
  }

  /** The variables that send a client through this fence. */
  get env() {
    const url = `http://127.0.0.1:${this.#server.address().port}`;
    const loopback = '127.0.0.1,localhost,::1';
    return {
      HTTP_PROXY: url,
      HTTPS_PROXY: url,
      http_proxy: url,
      https_proxy: url,
      NO_PROXY: loopback,
      no_proxy: loopback,
    };
  }

  stop() {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #refuse(host) {
    this.refused.add(host);
  }

  // Some clients use the proxy even for loopback.
  #forward(request, response) {
    const { hostname, port, pathname, search } = new URL(request.url, 'http://invalid');
    if (!isLoopback(hostname)) {
      this.#refuse(hostname);
      response.writeHead(403).end();
      return;
    }
    const { method, headers } = request;
    const onward = http.request({ host: hostname, port, path: pathname + search, method, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  }

  #tunnel(request, socket) {
    const { hostname, port } = new URL(`http://${request.url}`);
    socket.on('error', () => {});
    if (!isLoopback(hostname)) {
      this.#refuse(hostname);
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const onward = net.connect(port || 80, hostname, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy());
  }
}
