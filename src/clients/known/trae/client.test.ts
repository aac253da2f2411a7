import { runClientContract } from '../../client.contract.ts';
import { trae } from './client.ts';

runClientContract(trae);
