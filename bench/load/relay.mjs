/** The floor of the load: HTTP in, lines of stdio servers out, ids made unique on the way and nothing else; started by main.mjs. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

const upstream = fileURLToPath(new URL('../overhead/upstream.mjs', import.meta.url));
const waiting = new Map();
let lastId = 0;

function answer(line) {
  const message = JSON.parse(line);
  const asked = waiting.get(message.id);
  waiting.delete(message.id);
  asked?.response.end(JSON.stringify({ ...message, id: asked.id }));
}

function start(at) {
  const args = [upstream, '--name', `s${at}`, '--tools', '5', '--delay', String((at % 5) * 10)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  let held = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    const lines = (held + chunk).split('\n');
    held = lines.pop();
    for (const line of lines) answer(line);
  });
  return child;
}

const children = Array.from({ length: Number(process.argv[2]) }, (_, at) => start(at));
const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    const message = JSON.parse(body);
    lastId += 1;
    waiting.set(lastId, { id: message.id, response });
    response.setHeader('content-type', 'application/json');
    children[Number(request.url.slice(2))].stdin.write(`${JSON.stringify({ ...message, id: lastId })}\n`);
  });
});
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));
process.on('message', () => {
  for (const child of children) child.kill();
  server.close();
  server.closeAllConnections();
  process.disconnect();
});
