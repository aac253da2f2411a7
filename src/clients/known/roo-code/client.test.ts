import { runClientContract } from '../../client.contract.ts';
import { rooCode } from './client.ts';

runClientContract(rooCode);
