import { runClientContract } from '../../client.contract.ts';
import { qwen } from './client.ts';

runClientContract(qwen);
