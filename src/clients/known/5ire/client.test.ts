import { runClientContract } from '../../client.contract.ts';
import { fiveIre } from './client.ts';

runClientContract(fiveIre);
