import { expect, it } from 'vitest';
import { openMode, runExposureContract } from '../exposure.contract.ts';
import { direct } from './mode.ts';

runExposureContract({ mode: direct, toCall: (_server, tool, args) => ({ name: tool, arguments: args }) });

it('shows every visible tool with its whole definition', async () => {
  const tool = {
    name: 'read',
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
    future: 1,
  };
  const { exposure, view } = openMode(direct, { files: { tools: [tool] }, mail: { tools: ['send'] } });
  expect(await exposure.tools(view())).toEqual([tool, { name: 'send', inputSchema: { type: 'object' } }]);
});

it('names the three nearest tools when one is not found', async () => {
  const { exposure, view } = openMode(direct, {
    files: { tools: ['read_file', 'read_files', 'write_file', 'list'] },
  });
  await expect(exposure.call('read_fil', { name: 'read_fil' }, view())).rejects.toThrow(
    'no tool is called "read_fil"; the nearest: read_file, read_files',
  );
});
