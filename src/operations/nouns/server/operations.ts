/** What can be done with servers. */
import type { Operation } from '../../operation.ts';
import { create } from './create.ts';
import { disable } from './disable.ts';
import { edit } from './edit.ts';
import { enable } from './enable.ts';
import { info } from './info.ts';
import { install } from './install.ts';
import { list } from './list.ts';
import { logs } from './logs.ts';
import { search } from './search.ts';
import { test } from './test.ts';
import { uninstall } from './uninstall.ts';
import { usage } from './usage.ts';

/** The operations of servers, in the order they are shown. */
export const SERVER: readonly Operation[] = [
  list,
  info,
  install,
  uninstall,
  search,
  edit,
  create,
  enable,
  disable,
  test,
  logs,
  usage,
];
