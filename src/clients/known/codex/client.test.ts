import { runClientContract } from '../../client.contract.ts';
import { codex } from './client.ts';

runClientContract(codex);
