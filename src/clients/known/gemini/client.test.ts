import { runClientContract } from '../../client.contract.ts';
import { gemini } from './client.ts';

runClientContract(gemini);
