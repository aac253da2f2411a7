import { runClientContract } from '../../client.contract.ts';
import { claudeDesktop } from './client.ts';

runClientContract(claudeDesktop);
