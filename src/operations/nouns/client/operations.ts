/** What can be done with AI clients. */
import type { Operation } from '../../operation.ts';
import { config } from './config.ts';
import { connect } from './connect.ts';
import { disconnect } from './disconnect.ts';
import { edit } from './edit.ts';
import { importServers } from './import.ts';
import { list } from './list.ts';

/** The operations, in the order they are shown. */
export const CLIENT: readonly Operation[] = [list, connect, disconnect, importServers, edit, config];
