/** The floor: passes bytes on and understands nothing. Faces and upstreams as the gateway has them: stdio and HTTP. */
import { spawn } from 'node:child_process';
import { Agent, createServer, request } from 'node:http';

const [kind, ...rest] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 256, noDelay: true });

function stdioToStdio([command, ...args]) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  process.stdin.on('data', (chunk) => child.stdin.write(chunk));
  process.stdin.on('end', () => child.stdin.end());
  child.stdout.on('data', (chunk) => process.stdout.write(chunk));
  child.on('exit', (code) => process.exit(code ?? 0));
}

function post(url, body, headers, take) {
  const outgoing = request(url, { method: 'POST', agent, headers }, (response) => {
    const chunks = [];
    response.on('data', (chunk) => chunks.push(chunk));
    response.on('end', () => take(response, Buffer.concat(chunks)));
  });
  outgoing.on('error', (error) => process.stderr.write(`${error.message}\n`));
  outgoing.end(body);
}

function stdioToHttp([target]) {
  const url = new URL(target);
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  let held = Buffer.alloc(0);
  process.stdin.on('data', (chunk) => {
    const bytes = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
    let start = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      const body = bytes.subarray(start, end);
      start = end + 1;
      post(url, body, { ...headers, 'content-length': body.length }, (response, answer) => {
        if (response.statusCode === 200) process.stdout.write(`${answer}\n`);
      });
    }
    held = bytes.subarray(start);
  });
  process.stdin.on('end', () => process.exit(0));
}

function httpToHttp([port, target]) {
  const url = new URL(target);
  const server = createServer((incoming, response) => {
    const headers = { ...incoming.headers, host: url.host };
    const outgoing = request(url, { method: incoming.method, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  });
  server.keepAliveTimeout = 600_000;
  server.listen(Number(port), '127.0.0.1', () => process.stdout.write(`ready at ${server.address().port}\n`));
}

({ 'stdio-stdio': stdioToStdio, 'stdio-http': stdioToHttp, 'http-http': httpToHttp })[kind](rest);
