import { runClientContract } from '../../client.contract.ts';
import { opencode } from './client.ts';

runClientContract(opencode);
