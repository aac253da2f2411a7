import { runClientContract } from '../../client.contract.ts';
import { claudeCode } from './client.ts';

runClientContract(claudeCode);
