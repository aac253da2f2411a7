/** Takes all free file handles from this process, as when too many files are open. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fstatSync, readFileSync } from 'node:fs';

/** Another process that takes all free file handles from this one and gives them back: we could start none by then. */
export async function openHandleSwitch() {
  const limits = /Max open files +(\S+) +(\S+)/.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  const [, soft = '', hard = ''] = limits;
  const set = `prlimit --pid ${process.pid} --nofile=`;
  const script = `read n; ${set}$n:${hard}; echo done; read n; ${set}${soft}:${hard}; echo done; read n`;
  const helper = spawn('sh', ['-c', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const say = async (line: string) => {
    helper.stdin.write(`${line}\n`);
    await once(helper.stdout, 'data');
  };
  await once(helper, 'spawn');
  return {
    take() {
      let free = 0;
      while (isOpen(free)) free += 1;
      return say(String(free));
    },
    giveBack: () => say('back'),
    async [Symbol.asyncDispose]() {
      helper.stdin.end();
      await once(helper, 'exit');
    },
  };
}

function isOpen(handle: number): boolean {
  try {
    return fstatSync(handle) !== undefined;
  } catch {
    return false;
  }
}
