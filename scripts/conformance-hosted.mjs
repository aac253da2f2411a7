// A gateway with the conformance fixture inside its own process; prints its address.
// `--legacy` or `--modern`: the fixture speaks only that era.
import { createGateway } from '../dist/index.js';
import { hostEverything } from '../test/fixtures/everything/hosted.mjs';

const era = ['legacy', 'modern'].find((name) => process.argv.includes(`--${name}`));
const gateway = await createGateway(
  {
    builtin: false,
    exposure: { mode: 'direct' },
    mcpServers: { everything: { type: 'builtin', server: 'everything' } },
  },
  { hosted: hostEverything({ era }) },
);
const server = await gateway.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`${server.url}/mcp\n`);

process.once('SIGTERM', async () => {
  await server.close();
  await gateway[Symbol.asyncDispose]();
  process.exit(0);
});
