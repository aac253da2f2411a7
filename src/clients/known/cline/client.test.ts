import { runClientContract } from '../../client.contract.ts';
import { cline } from './client.ts';

runClientContract(cline);
